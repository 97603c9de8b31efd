package node

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// quotedStyle are the styles of texts whose ends are marked: in quotes, and in blocks.
const quotedStyle = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// Cut is a word such as #1234 behind a text without quotes: YAML takes it and what follows for a comment, which seldom
// begins without a blank behind the sign. It is "" when nothing of the kind follows, and behind numbers and the like.
func Cut(n *Node) string {
	if n == nil || n.Kind != Scalar || n.Style&quotedStyle != 0 || n.ShortTag() != "!!str" {
		return ""
	}
	line, _, _ := strings.Cut(n.LineComment, "\n")
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if text := strings.TrimLeft(word, "#"); len(word)-len(text) != 1 || text == "" || strings.HasPrefix(text, "\t") {
		return ""
	}
	return word
}

// StrayQuote is the quote or bracket at the end of a text without quotes if the opening one is missing; else "".
func StrayQuote(n *Node) string {
	if n == nil || n.Kind != Scalar || n.Style&quotedStyle != 0 || len(n.Value) < 2 {
		return ""
	}
	rest, last := n.Value[:len(n.Value)-1], n.Value[len(n.Value)-1:]
	switch last {
	case "'", `"`:
		if strings.Contains(rest, last) {
			return ""
		}
	case "]", "}":
		word := rest[len(rest)-1] // else a face such as :]
		if strings.ContainsAny(rest, "[{") || strings.ContainsRune(" :;=8-", rune(word)) {
			return ""
		}
	default:
		return ""
	}
	return last
}
