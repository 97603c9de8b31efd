package node

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// joined marks a text on several lines that YAML joins to one. The library does not use the bit.
const joined yaml.Style = 1 << 16

// IsJoined reports whether a text, unquoted or in a block below >, is on several lines that YAML joins.
func IsJoined(n *Node) bool { return n != nil && n.Style&joined != 0 }

// joinMarker marks joined texts. Nodes come in the order of the file, so that lines are counted once.
type joinMarker struct {
	data []byte // from line on
	line int    // that data begins with, from 0
}

func (j *joinMarker) run(n *Node) {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle
	if n.Kind == Scalar && n.Style&quoted == 0 && strings.IndexByte(n.Value, ' ') >= 0 && j.isJoined(n) {
		n.Style |= joined
	}
	for _, c := range n.Content {
		j.run(c)
	}
}

// isJoined reports whether a text continues after its first line.
func (j *joinMarker) isJoined(n *Node) bool {
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
