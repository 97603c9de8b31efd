package node

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// yaml11Bool is the value of a word that is a boolean in YAML 1.1 only.
func yaml11Bool(word string) (says, ok bool) {
	switch strings.ToLower(word) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off":
		return false, true
	}
	return false, false
}

// IsYAML11Bool reports whether a value is a text here and a boolean in YAML 1.1, and which: yes, no, on or off without
// quotes.
func IsYAML11Bool(n *Node) (says, ok bool) {
	if !IsPlain(n) || n.ShortTag() != "!!str" {
		return false, false
	}
	return yaml11Bool(n.Value)
}

// IsPlain reports whether a value is written without quotes, block or tag.
func IsPlain(n *Node) bool {
	const otherwise = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle |
		yaml.TaggedStyle
	return n != nil && n.Kind == Scalar && n.Style&otherwise == 0
}

// IsDoubleQuoted reports whether a text is in double quotes, in which YAML reads escapes.
func IsDoubleQuoted(n *Node) bool {
	return n != nil && n.Kind == Scalar && n.Style&yaml.DoubleQuotedStyle != 0
}

// IsAnyBool reports whether a value is a boolean in any version of YAML.
func IsAnyBool(n *Node) bool {
	_, ok := IsYAML11Bool(n)
	return ok || n != nil && n.Kind == Scalar && n.ShortTag() == "!!bool"
}

// NoYAML11Bools reports each word in a value that is a text here and a boolean in YAML 1.1: other tools would compare
// with the boolean.
func (r *Reader) NoYAML11Bools(n *Node, what string) (ok bool) {
	if says, found := IsYAML11Bool(n); found {
		r.Errorf(n, "ambiguous-boolean", "%s: %s without quotes is text here and %v in other tools", what, n.Value, says).
			Hint = "write " + boolWord(says) + ", or quote the text: \"" + n.Value + "\""
		return false
	}
	ok = true
	if n != nil {
		for i, v := range n.Content {
			if n.Kind != Map || i%2 == 1 {
				ok = r.NoYAML11Bools(v, what) && ok
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
