package node

import "math"

// AsSpelt returns a copy of a value in which numbers that JSON would write differently become texts: 02134, 0x1F,
// 1_000. Any keeps such texts as written. Values such as .inf, which are not numbers in JSON, stay unchanged.
func AsSpelt(n *Node) *Node {
	out := *n
	switch n.ShortTag() {
	case "!!int", "!!float":
		var f float64
		if n.Kind == Scalar && !isJSONNumber(n.Value) && n.Decode(&f) == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			out.Tag = "!!str"
		}
	}
	out.Content = nil
	for _, part := range n.Content {
		out.Content = append(out.Content, AsSpelt(part))
	}
	return &out
}
