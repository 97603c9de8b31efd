package node

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// NewMap returns an empty map. Fill it with Put.
func NewMap() *Node { return &Node{Kind: Map, Tag: "!!map"} }

// NewList returns a list.
func NewList(items ...*Node) *Node { return &Node{Kind: List, Tag: "!!seq", Content: items} }

// Put adds a key, which the map must not have. A nil value is ignored.
func Put(m *Node, key string, v *Node) {
	if v != nil {
		m.Content = append(m.Content, Str(key), v)
	}
}

// Replace sets a key of a map, in place if it exists.
func Replace(m *Node, key string, v *Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			m.Content[i+1] = v
			return
		}
	}
	Put(m, key, v)
}

// Str returns a text that reads back unchanged: long ones and several lines as a block, ambiguous ones in quotes.
// Invalid UTF-8 becomes U+FFFD.
func Str(text string) *Node {
	n := &Node{Kind: Scalar, Tag: "!!str", Value: strings.ToValidUTF8(text, string(utf8.RuneError))}
	switch {
	case strings.ContainsFunc(n.Value, mustEscape):
		n.Style = yaml.DoubleQuotedStyle
	case !strings.Contains(n.Value, "\n") && len(n.Value) <= longLine:
	case blockable(n.Value):
		n.Style = yaml.LiteralStyle
	default:
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// KeepLineEnds puts texts in n that end in a line break in quotes. A line break below | is easily added by mistake, and
// is refused in texts to search for.
func KeepLineEnds(n *Node) *Node {
	QuoteBlocks(n, func(text string) bool { return strings.HasSuffix(text, "\n") })
	return n
}

// QuoteBlocks puts blocks of text in n in quotes, those that quoted selects.
func QuoteBlocks(n *Node, quoted func(text string) bool) {
	if IsBlock(n) && quoted(n.Value) {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		QuoteBlocks(c, quoted)
	}
}

// longLine is the length in bytes up to which a text is written beside its key.
const longLine = 100

// blockable reports whether a text of several lines can be a block without losing indentation.
func blockable(s string) bool {
	if s[0] == ' ' || s[0] == '\n' {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if strings.HasSuffix(line, " ") {
			return false
		}
	}
	return true
}

// Number returns a number with this text. One that is too large for a float64 gets a tag.
func Number(text json.Number) *Node {
	n := &Node{Kind: Scalar, Value: text.String()}
	if _, err := text.Float64(); err != nil {
		n.Tag, n.Style = "!!float", yaml.TaggedStyle
	}
	return n
}

// Bool returns a boolean.
func Bool(b bool) *Node { return &Node{Kind: Scalar, Tag: "!!bool", Value: fmt.Sprint(b)} }

// FromJSON returns a node of decoded JSON, keys sorted. Short lists and maps are on one line.
func FromJSON(v any) *Node {
	n := fromJSON(v)
	if flowLength(n) <= maxFlowLength {
		n.Style |= yaml.FlowStyle
	}
	return n
}

func fromJSON(v any) *Node {
	switch v := v.(type) {
	case nil:
		return &Node{Kind: Scalar, Tag: "!!null", Value: "null"}
	case bool:
		return Bool(v)
	case json.Number:
		return Number(v)
	case string:
		return Str(v)
	case []any:
		n := NewList()
		for _, item := range v {
			n.Content = append(n.Content, FromJSON(item))
		}
		return n
	case map[string]any:
		n := NewMap()
		for _, key := range slices.Sorted(maps.Keys(v)) {
			Put(n, key, FromJSON(v[key]))
		}
		return n
	}
	return Str(fmt.Sprint(v))
}

// maxFlowLength is the longest list or map on one line, in characters.
const maxFlowLength = 70

// flowLength estimates the length of a value on one line; above maxFlowLength it needs several.
func flowLength(n *Node) int {
	if n.Kind == Scalar {
		if n.Style == yaml.LiteralStyle {
			return maxFlowLength + 1
		}
		return utf8.RuneCountInString(n.Value) + 2
	}
	sum := 2
	for _, c := range n.Content {
		if sum += flowLength(c); sum > maxFlowLength {
			break
		}
	}
	return sum
}
