package node

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Oddity is a probable mistake in a text. The zero value: none.
type Oddity struct {
	Text string // what follows after the name of the value: holds a line end
	Hint string
}

// blockHint is for the line break at the end of a text below | or >.
const blockHint = "| and > add it; write |- or >-, or the text in quotes on one line"

// OddName finds probable mistakes in a name: surrounding white space, invisible characters, the * of a pattern or the
// () of a call. wild allows one * at the end.
func OddName(name string, wild bool) Oddity {
	bare := strings.TrimSpace(name)
	if at := strings.IndexFunc(bare, isInvisible); at >= 0 {
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

// OddPattern finds control characters other than tab in a regular expression or path. They can be written as escapes.
func OddPattern(text string) Oddity {
	if rest, ends := strings.CutSuffix(text, "\n"); ends && strings.IndexFunc(rest, isHiddenControl) < 0 {
		return Oddity{"ends in a line break, and matches only where there is one", blockHint + `; \n stands for a line end`}
	}
	if at := strings.IndexFunc(text, isHiddenControl); at >= 0 {
		r := []rune(text[at:])[0]
		return Oddity{"holds " + character(r), escapeHint(r)}
	}
	if r := invisibleRune(text); r != 0 {
		return Oddity{"holds " + character(r), fmt.Sprintf(`take it out; a pattern can ask for it as \x{%04X}`, r)}
	}
	return slashedPattern(text)
}

// slashedPattern finds a regular expression between slashes, as in JavaScript: /refund|money/i. Paths are not.
func slashedPattern(text string) Oddity {
	at := strings.LastIndexByte(text, '/')
	if at < 2 || text[0] != '/' {
		return Oddity{}
	}
	inner, flags := text[1:at], text[at+1:]
	isPath := strings.Contains(strings.ReplaceAll(inner, `\/`, ""), "/")
	bare := flags == "" && (!strings.ContainsAny(inner, `|()[]*+?^$`) || isPath)
	if bare || strings.Trim(flags, "dgimsuvyx") != "" || len(flags) > 4 {
		return Oddity{}
	}
	pattern := strings.ReplaceAll(inner, `\/`, "/")
	unsupported := func(r rune) bool { return !strings.ContainsRune("ims", r) }
	if keep := strings.Join(strings.FieldsFunc(flags, unsupported), ""); keep != "" {
		pattern = "(?" + keep + ")" + pattern
	}
	return Oddity{"also matches its slashes, which do not delimit a pattern here",
		"write " + pattern + "; for slashes that are meant write [/]"}
}

// OddText finds probable mistakes in a text to search for: control characters, and the line break that a block, below |
// or >, adds.
func OddText(text string, block bool) Oddity {
	shown := func(r rune) bool { return isHiddenControl(r) && r != '\n' && r != '\r' }
	if at := strings.IndexFunc(text, shown); at >= 0 {
		r := []rune(text[at:])[0]
		return Oddity{"holds " + character(r), escapeHint(r)}
	}
	if r := invisibleRune(text); r != 0 && strings.IndexFunc(text, isVisible) >= 0 {
		return Oddity{"holds " + character(r), fmt.Sprintf(`take it out; the check regex can ask for it as \x{%04X}`, r)}
	}
	if block && strings.HasSuffix(text, "\n") {
		return Oddity{"ends in a line end", blockHint + `; one that is meant is "…\n" in double quotes`}
	}
	return Oddity{}
}

// isHiddenControl reports whether a character is a control character other than tab.
func isHiddenControl(r rune) bool { return unicode.IsControl(r) && r != '\t' }

// isInvisible reports whether a character is a control or format character.
func isInvisible(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// isVisible reports whether a character is neither invisible nor white space.
func isVisible(r rune) bool { return !isInvisible(r) && !unicode.IsSpace(r) }

// invisibleRune returns the first character of a text that is invisible, such as a soft hyphen; 0: none. Joiners in
// scripts that use them and in emoji, and marks of direction in text from right to left, do not count.
func invisibleRune(text string) rune {
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

// latin reports whether a character, or the edge of a text, belongs to no script with joiners or marks of direction.
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

// IsPlainName reports an odd name, and returns whether the name is fine. what names the value.
func (r *Reader) IsPlainName(n *Node, what string, wild bool) bool {
	return r.reportOddity(n, what, "odd-name", OddName(n.Value, wild))
}

// IsPlainPattern reports an odd regular expression or path, and returns whether it has none.
func (r *Reader) IsPlainPattern(n *Node, what string) bool {
	return r.reportOddity(n, what, "odd-pattern", OddPattern(n.Value))
}

// IsPlainText reports an odd text to search for, and returns whether the text is fine.
func (r *Reader) IsPlainText(n *Node, what string) bool {
	return r.reportOddity(n, what, "odd-text", OddText(n.Value, IsBlock(n)))
}

func (r *Reader) reportOddity(n *Node, what, code string, o Oddity) bool {
	if o == (Oddity{}) {
		return true
	}
	r.Errorf(n, code, "%s: %q %s", what, n.Value, o.Text).Hint = o.Hint
	return false
}
