package node

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
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
		return Oddity{"contains a *, which is not a wildcard here", "write each name in full"}
	}
	return Oddity{}
}

// OddPattern finds what a regular expression, or a path, hardly ever has on purpose: control characters other than the
// tabulator. Whoever means one can write it as an escape.
func OddPattern(text string) Oddity {
	if rest, ends := strings.CutSuffix(text, "\n"); ends && strings.IndexFunc(rest, hidden) < 0 {
		return Oddity{"ends in a line break, and matches only where there is one", blockHint + `; \n stands for a line end`}
	}
	if at := strings.IndexFunc(text, hidden); at >= 0 {
		r := []rune(text[at:])[0]
		return Oddity{"holds " + character(r), escapeHint(r)}
	}
	if r := ghost(text); r != 0 {
		return Oddity{"holds " + character(r), fmt.Sprintf(`take it out; a pattern can ask for it as \x{%04X}`, r)}
	}
	return slashed(text)
}

// slashed finds a pattern as JavaScript and others write it, between slashes: /refund|money/i. A path is none.
func slashed(text string) Oddity {
	at := strings.LastIndexByte(text, '/')
	if at < 2 || text[0] != '/' {
		return Oddity{}
	}
	inner, flags := text[1:at], text[at+1:]
	bare := flags == "" && (!strings.ContainsAny(inner, `|()[]*+?^$`) || strings.Contains(strings.ReplaceAll(inner, `\/`, ""), "/"))
	if bare || strings.Trim(flags, "dgimsuvyx") != "" || len(flags) > 4 {
		return Oddity{}
	}
	pattern := strings.ReplaceAll(inner, `\/`, "/")
	if keep := strings.Join(strings.FieldsFunc(flags, func(r rune) bool { return !strings.ContainsRune("ims", r) }), ""); keep != "" {
		pattern = "(?" + keep + ")" + pattern
	}
	return Oddity{"also matches its slashes, which do not delimit a pattern here",
		"write " + pattern + "; for slashes that are meant write [/]"}
}

// OddText finds what a text to look for hardly ever has on purpose: control characters that no text shows, and the line
// end that a block, below | or >, has added.
func OddText(text string, block bool) Oddity {
	shown := func(r rune) bool { return hidden(r) && r != '\n' && r != '\r' }
	if at := strings.IndexFunc(text, shown); at >= 0 {
		r := []rune(text[at:])[0]
		return Oddity{"holds " + character(r), escapeHint(r)}
	}
	if r := ghost(text); r != 0 && strings.IndexFunc(text, solid) >= 0 {
		return Oddity{"holds " + character(r), fmt.Sprintf(`take it out; the check regex can ask for it as \x{%04X}`, r)}
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

// solid reports whether a character is one that can be seen, and no blank.
func solid(r rune) bool { return !unseen(r) && !unicode.IsSpace(r) }

// ghost returns the first character of a text that nobody sees or has typed, such as a soft hyphen; 0: there is none.
// Joiners are part of some scripts and of emoji, and marks of direction of those that are written to the left.
func ghost(text string) rune {
	before := rune(0)
	for at, r := range text {
		behind, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
		if unicode.Is(unicode.Cf, r) && (r == '\u00AD' || r == '\u200B' || r == '\uFEFF' || latin(before) && latin(behind)) {
			return r
		}
		before = r
	}
	return 0
}

// latin reports whether a character, or the edge of a text, is of no script that needs joiners or marks of direction.
func latin(r rune) bool {
	return r < 0x300 || r == utf8.RuneError || 0x2000 <= r && r < 0x2070 || unicode.In(r, unicode.Greek, unicode.Cyrillic)
}

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
