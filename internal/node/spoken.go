package node

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// spoken is what a word says that YAML 1.1 counts among the booleans.
func spoken(word string) (says, ok bool) {
	switch strings.ToLower(word) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off":
		return false, true
	}
	return false, false
}

// IsSpoken reports whether a value is text to us and a boolean to others, and which: yes, no, on or off without
// quotes.
func IsSpoken(n *Node) (says, ok bool) {
	if !IsPlain(n) || n.ShortTag() != "!!str" {
		return false, false
	}
	return spoken(n.Value)
}

// IsPlain reports whether a value stands in the file by itself: in no quotes, no block, and without a tag.
func IsPlain(n *Node) bool {
	const otherwise = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle |
		yaml.TaggedStyle
	return n != nil && n.Kind == Scalar && n.Style&otherwise == 0
}

// IsTruth reports whether a value is a boolean to anybody who reads YAML.
func IsTruth(n *Node) bool {
	_, ok := IsSpoken(n)
	return ok || n != nil && n.Kind == Scalar && n.ShortTag() == "!!bool"
}

// Unspoken reports each word in a value that is text to us and a boolean to others: it would equal neither what the
// one nor what the other means.
func (r *Reader) Unspoken(n *Node, what string) (ok bool) {
	if says, found := IsSpoken(n); found {
		r.Errorf(n, "ambiguous-boolean", "%s: %s without quotes is text here and %v in other tools", what, n.Value, says).
			Hint = "write " + boolWord(says) + ", or quote the text: \"" + n.Value + "\""
		return false
	}
	ok = true
	if n != nil {
		for i, v := range n.Content {
			if n.Kind != Map || i%2 == 1 {
				ok = r.Unspoken(v, what) && ok
			}
		}
	}
	return ok
}

func boolWord(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
