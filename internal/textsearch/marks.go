package textsearch

import (
	"strings"
	"unicode"

	"github.com/arena-evals/arena/internal/textmeasure"
)

// Unmarked returns a text without Markdown marks of emphasis, code and strikethrough that touch a word, and without
// backslashes before signs. Marks between blanks, such as a list's, stay, and so does a star between digits. HTML tags
// and addresses of links are removed too.
func Unmarked(text string) string {
	text = untagged(text)
	if !strings.ContainsAny(text, markSigns) {
		return text
	}
	var u unmarker
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		b.WriteString(u.read(r))
	}
	b.WriteString(u.end())
	return b.String()
}

// markSigns are the signs of which marks consist.
const markSigns = "*_`~\\"

// unmarker takes the marks out of a text as it comes. Marks wait for the character behind them.
type unmarker struct {
	before  rune // the character before the mark that waits; 0: none
	mark    rune // 0: none waits
	count   int  // how often the mark is repeated
	escaped bool // a backslash waits
}

// read takes a character, and returns what is decided.
func (u *unmarker) read(r rune) string {
	if u.escaped {
		u.escaped, u.before = false, r
		if r < unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			return string(r)
		}
		return `\` + string(r)
	}
	if u.mark == r && r != 0 {
		u.count++
		return ""
	}
	kept := u.decide(r)
	switch r {
	case '\\':
		u.escaped = true
		return kept
	case '*', '_', '`', '~':
		u.mark, u.count = r, 1
		return kept
	}
	u.before = r
	return kept + string(r)
}

// end returns what still waits.
func (u *unmarker) end() string {
	kept := u.decide(0)
	if u.escaped {
		kept += `\`
	}
	*u = unmarker{}
	return kept
}

// decide returns the mark that waits if it stays, now that the character behind it is known; 0 is the end of the text.
func (u *unmarker) decide(after rune) string {
	if u.mark == 0 {
		return ""
	}
	mark, n, before := u.mark, u.count, u.before
	u.mark, u.before = 0, mark
	if isMark(mark, n, before, after) {
		return ""
	}
	return strings.Repeat(string(mark), n)
}

// isMark reports whether a sign that is repeated n times sets something apart where it stands.
func isMark(sign rune, n int, before, after rune) bool {
	blank := func(r rune) bool { return r == 0 || unicode.IsSpace(r) }
	touches := !blank(before) || !blank(after)
	switch sign {
	case '_':
		return textmeasure.InWord(before) != textmeasure.InWord(after)
	case '~':
		return touches && n > 1
	case '*':
		return touches && !(unicode.IsDigit(before) && unicode.IsDigit(after))
	}
	return touches
}
