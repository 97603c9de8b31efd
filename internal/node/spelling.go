package node

import (
	"fmt"
	"strings"
	"unicode"
)

// Oddity is something in a text by which it cannot mean what its author wanted. The zero value is nothing.
type Oddity struct {
	Text string // what follows after the name of the value: holds a line end
	Hint string
}

// blockHint is for the line end that a text below | or > has at its end.
const blockHint = "| and > add it; write |- or >-, or the text in quotes on one line"

// OddName finds what no name has: white space around it, characters that do not show, the * of a pattern or the () of
// a call. wild allows one * at the end.
func OddName(name string, wild bool) Oddity {
	bare := strings.TrimSpace(name)
	if at := strings.IndexFunc(bare, unseen); at >= 0 {
		r := []rune(bare[at:])[0]
		return Oddity{"holds " + character(r), "write the name in plain letters, on one line"}
	}
	if bare != name {
		o := Oddity{"has white space around it", "write " + bare}
		if strings.HasSuffix(name, "\n") {
			o = Oddity{"ends in a line end", blockHint}
		}
		return o
	}
	if called, yes := strings.CutSuffix(name, "()"); yes {
		return Oddity{"is written like a call", "write " + called}
	}
	if wild {
		name = strings.TrimSuffix(name, "*")
	}
	if strings.Contains(name, "*") {
		return Oddity{"holds a *, which stands for nothing else here", "write each name in full"}
	}
	return Oddity{}
}

// OddPattern finds what a regular expression, or a path, hardly ever has on purpose: control characters other than the
// tabulator. Whoever means one can write it as an escape.
func OddPattern(text string) Oddity {
	if rest, ends := strings.CutSuffix(text, "\n"); ends && strings.IndexFunc(rest, hidden) < 0 {
		return Oddity{"ends in a line end, and matches only where there is one", blockHint + `; \n stands for a line end`}
	}
	at := strings.IndexFunc(text, hidden)
	if at < 0 {
		return Oddity{}
	}
	r := []rune(text[at:])[0]
	return Oddity{"holds " + character(r), escapeHint(r)}
}

// OddText finds what a text to look for hardly ever has on purpose: control characters that no text shows, and the line
// end that a block, below | or >, has added.
func OddText(text string, block bool) Oddity {
	shown := func(r rune) bool { return hidden(r) && r != '\n' && r != '\r' }
	if at := strings.IndexFunc(text, shown); at >= 0 {
		r := []rune(text[at:])[0]
		return Oddity{"holds " + character(r), escapeHint(r)}
	}
	if block && strings.HasSuffix(text, "\n") {
		return Oddity{"ends in a line end", blockHint + `; one that is meant is "…\n" in double quotes`}
	}
	return Oddity{}
}

// hidden reports whether a character is a control character that nothing shows.
func hidden(r rune) bool { return unicode.IsControl(r) && r != '\t' }

// unseen reports whether a character cannot be seen: control characters, and those of no width.
func unseen(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

func character(r rune) string {
	switch r {
	case '\n':
		return "a line end"
	case '\r':
		return "a carriage return"
	case '\t':
		return "a tabulator"
	case '\b':
		return "a backspace"
	}
	if unicode.IsControl(r) {
		return fmt.Sprintf("the control character U+%04X", r)
	}
	return fmt.Sprintf("the invisible character U+%04X", r)
}

func escapeHint(r rune) string {
	switch r {
	case '\b':
		return `"\b" in double quotes is a backspace: write '\b' in single quotes, or "\\b", for the edge of a word`
	case '\n':
		return `write it on one line; \n in single quotes stands for a line end`
	}
	return fmt.Sprintf(`a regular expression can ask for it as \x%02X, in single quotes`, r)
}

// IsPlainName reports an odd name, and returns whether it is none. What names the value.
func (r *Reader) IsPlainName(n *Node, what string, wild bool) bool {
	return r.odd(n, what, "odd-name", OddName(n.Value, wild))
}

// IsPlainPattern reports an odd regular expression or path, and returns whether it is none.
func (r *Reader) IsPlainPattern(n *Node, what string) bool {
	return r.odd(n, what, "odd-pattern", OddPattern(n.Value))
}

// IsPlainText reports an odd text to look for, and returns whether it is none.
func (r *Reader) IsPlainText(n *Node, what string) bool {
	return r.odd(n, what, "odd-text", OddText(n.Value, IsBlock(n)))
}

func (r *Reader) odd(n *Node, what, code string, o Oddity) bool {
	if o == (Oddity{}) {
		return true
	}
	r.Errorf(n, code, "%s: %q %s", what, n.Value, o.Text).Hint = o.Hint
	return false
}
