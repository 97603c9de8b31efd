// Package node reads and writes YAML and JSON. Its nodes know their line and column, and its reader returns typed
// values and reports every problem at its position. No other package imports the YAML library.
package node

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/arena-evals/arena/internal/diag"
)

// Node is one value of a document. Documents read by Parse have no aliases and no merge keys.
type Node = yaml.Node

// Kinds of a Node.
const (
	Map    = yaml.MappingNode
	List   = yaml.SequenceNode
	Scalar = yaml.ScalarNode
)

// IsNull reports whether a value is empty or null.
func IsNull(n *Node) bool {
	return n == nil || n.Kind == 0 || n.Kind == Scalar && n.ShortTag() == "!!null"
}

// Get returns the value of a key, or nil.
func Get(n *Node, key string) *Node {
	if i := indexOf(n, key); i >= 0 {
		return n.Content[i+1]
	}
	return nil
}

// KeyOf is the node of a key in a map; nil: none.
func KeyOf(n *Node, key string) *Node {
	if i := indexOf(n, key); i >= 0 {
		return n.Content[i]
	}
	return nil
}

// indexOf is the index of a key in the content of a map; -1: none.
func indexOf(n *Node, key string) int {
	if n == nil || n.Kind != Map {
		return -1
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// Follow walks down from n along keys and indexes, as far as they exist.
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

// Keys returns the keys of a map in the order of the file.
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

// describe names a value in messages: text "x", the number 3, a list, a map, nothing.
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
	if n.Column == 1 { // all of the file, which may be any: a key, a list of passwords
		return "text"
	}
	return "text " + quote(n.Value)
}

// quote shortens and quotes a value for messages.
func quote(s string) string {
	const limit = 60
	s = diag.HideSecrets(s) // before the text is cut: a part of a secret would not be recognised
	r := []rune(s)
	if len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return `"` + s + `"`
}

// IsBlock reports whether a text is a block, below | or >.
func IsBlock(n *Node) bool {
	return n != nil && n.Kind == Scalar && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// literalStyle marks a text whose braces were escaped with a backslash.
const literalStyle yaml.Style = 1 << 17

// MarkLiteral marks a text whose braces are no placeholders.
func MarkLiteral(n *Node) { n.Style |= literalStyle }

// IsLiteral reports whether the braces of a text are no placeholders.
func IsLiteral(n *Node) bool { return n != nil && n.Style&literalStyle != 0 }
