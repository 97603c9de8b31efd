package node

import "math"

// AsSpelt returns a copy of a value in which the numbers are texts that JSON would spell otherwise: 02134, 0x1F, 1_000.
// Any leaves such a text as it was written. What no number can be, such as .inf, stays as it is.
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
