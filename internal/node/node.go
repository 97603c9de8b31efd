// Package node is arena's one door to YAML and JSON documents: nodes that know their line and column, and a reader
// that takes typed values out of them and reports every problem at its place.
package node

import (
	"strconv"

	"gopkg.in/yaml.v3"
)

// Node is one value of a document. A document read by Parse holds no alias and no merge key any more.
type Node = yaml.Node

// Kinds of a Node.
const (
	Map    = yaml.MappingNode
	List   = yaml.SequenceNode
	Scalar = yaml.ScalarNode
)

// IsNull reports whether a value was left empty or written as null.
func IsNull(n *Node) bool {
	return n == nil || n.Kind == 0 || n.Kind == Scalar && n.ShortTag() == "!!null"
}

// Get returns the value of a key, or nil.
func Get(n *Node, key string) *Node {
	if n == nil || n.Kind != Map {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// Follow walks down from n along keys and indexes, as far as they lead.
func Follow(n *Node, path []string) *Node {
	for _, key := range path {
		next := Get(n, key)
		if n.Kind == List {
			if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(n.Content) {
				next = n.Content[i]
			}
		}
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// Keys returns the keys of a mapping in the order of the file.
func Keys(n *Node) []string {
	if n == nil || n.Kind != Map {
		return nil
	}
	keys := make([]string, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		keys = append(keys, n.Content[i].Value)
	}
	return keys
}

// describe names what was found, for messages: text "x", the number 3, a list, a map, nothing.
func describe(n *Node) string {
	switch {
	case IsNull(n):
		return "nothing"
	case n.Kind == List:
		return "a list"
	case n.Kind == Map:
		return "a map"
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		return "the number " + n.Value
	case "!!bool":
		return n.Value
	case "!!timestamp":
		return "the date " + n.Value
	}
	return "text " + quote(n.Value)
}

// quote cuts a long value and quotes it for a message.
func quote(s string) string {
	const limit = 60
	r := []rune(s)
	if len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return `"` + s + `"`
}

// IsBlock reports whether a text stands in a block of its own, below a | or >.
func IsBlock(n *Node) bool {
	return n != nil && n.Kind == Scalar && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// plainly marks a text of which the braces were written with a backslash, as ones that are meant.
const plainly yaml.Style = 1 << 17

// Mean marks a text as meant with the braces that it holds.
func Mean(n *Node) { n.Style |= plainly }

// IsMeant reports whether a text is meant with the braces that it holds.
func IsMeant(n *Node) bool { return n != nil && n.Style&plainly != 0 }
