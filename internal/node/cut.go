package node

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Cut is a word such as #1234 behind a text without quotes: YAML takes it and what follows for a comment, which seldom
// begins without a blank behind the sign. It is "" when nothing of the kind follows, and behind numbers and the like.
func Cut(n *Node) string {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n == nil || n.Kind != Scalar || n.Style&quoted != 0 || n.ShortTag() != "!!str" {
		return ""
	}
	line, _, _ := strings.Cut(n.LineComment, "\n")
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if text := strings.TrimLeft(word, "#"); len(word)-len(text) != 1 || text == "" || strings.HasPrefix(text, "\t") {
		return ""
	}
	return word
}
