package node

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// NewMap makes an empty mapping, to be filled by Put.
func NewMap() *Node { return &Node{Kind: Map, Tag: "!!map"} }

// NewList makes a list.
func NewList(items ...*Node) *Node { return &Node{Kind: List, Tag: "!!seq", Content: items} }

// Put adds a key to a mapping, which must not have it. A nil value is left out.
func Put(m *Node, key string, v *Node) {
	if v != nil {
		m.Content = append(m.Content, Str(key), v)
	}
}

// Replace sets a key of a mapping, in its place when it is there.
func Replace(m *Node, key string, v *Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			m.Content[i+1] = v
			return
		}
	}
	Put(m, key, v)
}

// Str makes a text that is read back as it is, whatever it holds: long ones and several lines as a block, and what
// could be taken for something else in quotes. Bytes that are not UTF-8 become U+FFFD.
func Str(text string) *Node {
	n := &Node{Kind: Scalar, Tag: "!!str", Value: strings.ToValidUTF8(text, string(utf8.RuneError))}
	switch {
	case !plainRunes(n.Value):
		n.Style = yaml.DoubleQuotedStyle
	case !strings.Contains(n.Value, "\n") && len(n.Value) <= longLine:
	case blockable(n.Value):
		n.Style = yaml.LiteralStyle
	default:
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// KeepLineEnds writes the texts in n that end in a line end in quotes. Below a | the end of a text is easily one that
// nobody meant, and in texts to look for it is refused there.
func KeepLineEnds(n *Node) *Node {
	if IsBlock(n) && strings.HasSuffix(n.Value, "\n") {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		KeepLineEnds(c)
	}
	return n
}

// longLine is how many bytes of text stand beside a key; more go below it.
const longLine = 100

// plainRunes reports whether every character can stand in a file as it is.
func plainRunes(s string) bool {
	for _, r := range s {
		if r != '\n' && (!unicode.IsPrint(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff') {
			return false
		}
	}
	return true
}

// blockable reports whether a text of several lines can stand in a block without any indentation being lost.
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

// Number makes a number out of its text. One that is too large for a float64 says that it is a number.
func Number(text json.Number) *Node {
	n := &Node{Kind: Scalar, Value: text.String()}
	if _, err := text.Float64(); err != nil {
		n.Tag, n.Style = "!!float", yaml.TaggedStyle
	}
	return n
}

// Bool makes a boolean.
func Bool(b bool) *Node { return &Node{Kind: Scalar, Tag: "!!bool", Value: fmt.Sprint(b)} }

// FromJSON makes a node of decoded JSON, keys sorted. What fits on a line is written on one.
func FromJSON(v any) *Node {
	n := fromJSON(v)
	if short(n) <= shortest {
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

// shortest is how many characters of a list or a map are written on one line.
const shortest = 70

// short estimates how long a value is on one line; more than shortest when it must have several.
func short(n *Node) int {
	if n.Kind == Scalar {
		if n.Style == yaml.LiteralStyle {
			return shortest + 1
		}
		return utf8.RuneCountInString(n.Value) + 2
	}
	sum := 2
	for _, c := range n.Content {
		if sum += short(c); sum > shortest {
			break
		}
	}
	return sum
}
