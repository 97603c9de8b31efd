package node

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// joined marks a text that stands on several lines of the file, of which YAML makes one. The library has no use for the
// bit.
const joined yaml.Style = 1 << 16

// IsJoined reports whether a text without quotes, or in a block below >, stands on several lines that become one.
func IsJoined(n *Node) bool { return n != nil && n.Style&joined != 0 }

// joiner marks such texts. Nodes come in the order of the file, so that the lines are counted once.
type joiner struct {
	data []byte // from line on
	line int    // that data begins with, from 0
}

func (j *joiner) run(n *Node) {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle
	if n.Kind == Scalar && n.Style&quoted == 0 && strings.IndexByte(n.Value, ' ') >= 0 && j.spread(n) {
		n.Style |= joined
	}
	for _, c := range n.Content {
		j.run(c)
	}
}

// spread reports whether the line on which a text begins does not hold all of it.
func (j *joiner) spread(n *Node) bool {
	line, ahead := n.Line-1, n.Column-1
	if n.Style&yaml.FoldedStyle != 0 {
		line, ahead = line+1, 0
	}
	if line < j.line { // an alias leads back
		return false
	}
	for j.line < line {
		at := bytes.IndexByte(j.data, '\n')
		if at < 0 {
			return false
		}
		j.data, j.line = j.data[at+1:], j.line+1
	}
	text, _, _ := bytes.Cut(j.data, []byte("\n"))
	for ; ahead > 0 && len(text) > 0; ahead-- {
		_, size := utf8.DecodeRune(text)
		text = text[size:]
	}
	first, _, _ := strings.Cut(n.Value, "\n")
	return !bytes.Contains(text, []byte(first))
}
