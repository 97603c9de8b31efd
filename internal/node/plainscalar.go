package node

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxPlainKey is how long a key may be; the library takes those of up to 1024 characters.
const maxPlainKey = 1000

// scalar reads a text, number or word outside of { } and [ ]. It is a key where a colon stands behind it, which is then
// read as well, with the spaces behind it.
func (p *plainReader) scalar() (n *Node, isKey bool) {
	from := p.at
	switch c := p.data[p.at]; {
	case c == '"' || c == '\'':
		n = p.quoted(c)
	case p.beginsPlain():
		n = p.unquoted()
	}
	if n == nil || p.at == p.end {
		return n, false
	}
	if p.data[p.at] != ':' || p.at+1 < p.end && p.data[p.at+1] != ' ' || p.at-from > maxPlainKey {
		return nil, false
	}
	p.at++
	p.skipSpaces()
	return n, true
}

// beginsPlain reports whether an unquoted text begins here, with a character that means nothing else.
func (p *plainReader) beginsPlain() bool {
	c := p.data[p.at]
	if c == '-' { // of a number
		return p.at+1 < p.end && isDigit(p.data[p.at+1])
	}
	return isWord(c) || c == '/' || c == '(' || c == '$' || c == '<' && p.at+1 < p.end && isWord(p.data[p.at+1])
}

// unquoted reads a text up to the end of the line or the colon of a key.
func (p *plainReader) unquoted() *Node {
	from, to := p.at, p.at
	for ; p.at < p.end; p.at++ {
		switch c := p.data[p.at]; {
		case c == ':' && (p.at+1 == p.end || p.data[p.at+1] == ' '):
			if to != p.at { // spaces before the colon
				return nil
			}
			return p.word(from, to)
		case c == '#' && to != p.at: // a comment
			return nil
		case c != ' ':
			to = p.at + 1
		}
	}
	return p.word(from, to)
}

// word is the node of an unquoted text.
func (p *plainReader) word(from, to int) *Node {
	n := p.node(Scalar, "", from)
	n.Value = string(p.data[from:to])
	n.Tag = n.ShortTag()
	return n
}

// quoted reads a text in quotes that ends on its line.
func (p *plainReader) quoted(quote byte) *Node {
	n := p.node(Scalar, "!!str", p.at)
	n.Style = yaml.DoubleQuotedStyle
	if quote == '\'' {
		n.Style = yaml.SingleQuotedStyle
	}
	p.at++
	var text strings.Builder
	for from := p.at; p.at < p.end; p.at++ {
		c := p.data[p.at]
		doubled := c == '\'' && p.at+1 < p.end && p.data[p.at+1] == '\''
		switch {
		case c == '\\' && quote == '"', doubled && quote == '\'':
			if p.at+1 >= p.end {
				return nil
			}
			escaped, ok := plainEscape(c, p.data[p.at+1])
			if !ok {
				return nil
			}
			if text.Cap() == 0 {
				text.Grow(p.lengthUpTo(quote, from))
			}
			text.Write(p.data[from:p.at])
			text.WriteByte(escaped)
			p.at++
			from = p.at + 1
		case c == quote:
			if text.Cap() == 0 {
				n.Value = string(p.data[from:p.at])
			} else {
				text.Write(p.data[from:p.at])
				n.Value = text.String()
			}
			p.at++
			return n
		}
	}
	return nil
}

// lengthUpTo is the length of the quoted text that begins at from, of which the first escape is next: there are very
// many texts, and none keeps more memory than it needs.
func (p *plainReader) lengthUpTo(quote byte, from int) int {
	escapes := 0
	for i := p.at; i < p.end; i++ {
		switch c := p.data[i]; {
		case c == '\\' && quote == '"', c == quote && quote == '\'' && i+1 < p.end && p.data[i+1] == quote:
			escapes++
			i++
		case c == quote:
			return i - from - escapes
		}
	}
	return p.end - from
}

// plainEscape is the character that two characters stand for in quotes.
func plainEscape(mark, c byte) (byte, bool) {
	if mark == '\'' {
		return '\'', true
	}
	switch c {
	case '"', '\\':
		return c, true
	case 'n':
		return '\n', true
	case 't':
		return '\t', true
	case 'r':
		return '\r', true
	}
	return 0, false
}

func isFlow(c byte) bool  { return c == '{' || c == '[' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}
