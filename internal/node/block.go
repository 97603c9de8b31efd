package node

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/arena-evals/arena/internal/diag"
)

// BlockText is the text of a block in the lines of the file: also one below >, whose value has them joined.
func (r *Reader) BlockText(n *Node) string {
	if n.Style&yaml.FoldedStyle == 0 || n.Value == "" || len(r.source) == 0 {
		return n.Value
	}
	lines := r.sourceLines()
	if n.Line < 1 || n.Line >= len(lines) {
		return n.Value
	}
	var kept []string
	indent := -1
	for _, line := range lines[n.Line:] {
		bare := strings.TrimLeft(line, " ")
		switch at := len(line) - len(bare); {
		case strings.TrimSpace(bare) == "":
			line = ""
		case indent < 0:
			indent = at
			line = bare
		case at < indent:
			return strings.Join(kept, "\n")
		default:
			line = line[indent:]
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// sourceLines are the lines of the file.
func (r *Reader) sourceLines() []string {
	if r.lines == nil {
		r.lines = diag.Lines(r.File, r.source)
	}
	return r.lines
}

// QuotedLines are the lines of the file from the opening to the closing quote of a text, without these; nil for a text
// without quotes, and for one on a single line.
func (r *Reader) QuotedLines(n *Node) []string {
	quote := byte('"')
	switch {
	case n == nil || n.Kind != Scalar || len(r.source) == 0:
		return nil
	case n.Style&yaml.SingleQuotedStyle != 0:
		quote = '\''
	case n.Style&yaml.DoubleQuotedStyle == 0:
		return nil
	}
	lines := r.sourceLines()
	if n.Line < 1 || n.Line > len(lines) {
		return nil
	}
	_, text, _ := strings.Cut(r.restOfLine(n, lines[n.Line-1]), string(quote)) // behind an anchor or a tag
	var inside []string
	for i := n.Line; ; i++ {
		end := closingQuote(text, quote)
		if end >= 0 {
			text = text[:end]
		}
		if inside = append(inside, text); end >= 0 || i >= len(lines) {
			break
		}
		text = lines[i]
	}
	if len(inside) < 2 {
		return nil
	}
	return inside
}

// place is a column of a line, both from 1, and its offset in bytes.
type place struct{ line, column, offset int }

// restOfLine is the rest of the line from the start of a node. Nodes come in the order of the file, so that the
// characters of a long line are counted once.
func (r *Reader) restOfLine(n *Node, line string) string {
	p := r.last
	if p.line != n.Line || p.column > n.Column {
		p = place{line: n.Line, column: 1}
	}
	for p.column < n.Column && p.offset < len(line) {
		_, size := utf8.DecodeRuneInString(line[p.offset:])
		p.column, p.offset = p.column+1, p.offset+size
	}
	r.last = p
	return line[min(p.offset, len(line)):]
}

// closingQuote is the index of the end of a quote that is open at the start of a line; -1: not in this line.
func closingQuote(line string, quote byte) int {
	for i := 0; i < len(line); i++ {
		switch {
		case quote == '"' && line[i] == '\\':
			i++
		case line[i] == quote && quote == '\'' && strings.HasPrefix(line[i+1:], "'"):
			i++
		case line[i] == quote:
			return i
		}
	}
	return -1
}
