package node

import (
	"encoding/json"
	"math"
	"strconv"
)

// Any reads any value as JSON types: map[string]any, []any, string, json.Number, bool, nil. It reports duplicate keys,
// and numbers that JSON cannot represent (.nan, .inf).
func (r *Reader) Any(n *Node) any {
	if IsNull(n) {
		return nil
	}
	switch n.Kind {
	case Map:
		m := make(map[string]any, len(n.Content)/2)
		r.Each(n, "the value", func(key string, _, v *Node) { m[key] = r.Any(v) })
		return m
	case List:
		l := make([]any, len(n.Content))
		for i, v := range n.Content {
			l[i] = r.Any(v)
		}
		return l
	}
	return r.scalar(n)
}

func (r *Reader) scalar(n *Node) any {
	switch n.ShortTag() {
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err == nil {
			return b
		}
	case "!!int":
		if isJSONNumber(n.Value) {
			return json.Number(n.Value)
		}
		var i int64
		if err := n.Decode(&i); err == nil {
			return json.Number(strconv.FormatInt(i, 10)) // 0x1F, 0o17, 1_000
		}
		var u uint64
		if err := n.Decode(&u); err == nil {
			return json.Number(strconv.FormatUint(u, 10))
		}
	case "!!float":
		if isJSONNumber(n.Value) {
			return json.Number(n.Value)
		}
		var f float64
		if err := n.Decode(&f); err == nil {
			if math.IsNaN(f) || math.IsInf(f, 0) {
				r.Errorf(n, "wrong-type", "%s is not a number that JSON can hold", n.Value)
				return nil
			}
			return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
		}
	}
	return n.Value
}

func isJSONNumber(s string) bool {
	if s == "" || (s[0] != '-' && (s[0] < '0' || s[0] > '9')) {
		return false
	}
	return json.Valid([]byte(s))
}
