package show

import (
	"strings"
	"unicode/utf8"
)

// Clean makes untrusted text safe for a terminal and for XML. It drops terminal sequences, control characters and marks
// that reverse the reading direction. Line ends become \n, and invalid UTF-8 becomes U+FFFD. Newlines and tabs stay.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := sequence(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\r':
			if !strings.HasPrefix(s[i+n:], "\n") {
				b.WriteByte('\n')
			}
		case r == '\u2028' || r == '\u2029' || r == '\v' || r == '\f':
			b.WriteByte('\n')
		case r == '\uFFFE' || r == '\uFFFF':
			b.WriteRune(utf8.RuneError)
		case !isDropped(r):
			b.WriteRune(r) // the RuneError of an invalid byte is written as such
		}
		i += n
	}
	return b.String()
}

// Line is Clean on one line: every run of white space is one space.
func Line(s string) string {
	return strings.Join(strings.Fields(Clean(s)), " ")
}

// isPlain reports whether a text is printable ASCII, newlines and tabs only, as nearly all text is. Clean returns such
// text as it is.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' && c != '\n' && c != '\t') || c > '~' {
			return false
		}
	}
	return true
}

// isDropped reports whether a rune never reaches a report: a control character, or a mark that changes the direction of
// the text around it, which can make a line read as something else.
func isDropped(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < ' ', r >= 0x7F && r <= 0x9F:
		return true
	case r == 0x061C, r == 0x200E, r == 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0xFEFF:
		return true
	}
	return false
}

// sequence returns the length of the terminal sequence at the start of s; 0 when there is none. A sequence without an
// end counts as none: dropping it would drop the rest of the text.
func sequence(s string) int {
	var kind byte
	var start int
	switch {
	case len(s) >= 2 && s[0] == 0x1B:
		kind, start = s[1], 2
	case len(s) >= 2 && s[0] == 0xC2 && s[1] >= 0x80 && s[1] <= 0x9F: // the one-character forms, U+0080 to U+009F
		kind, start = s[1]-0x40, 2
	default:
		return 0
	}
	switch kind {
	case '[':
		return control(s, start)
	case ']', 'P', 'X', '^', '_':
		return text(s, start)
	}
	return 0
}

// control returns the end of a control sequence: parameter and intermediate bytes, then one final byte.
func control(s string, i int) int {
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3F {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7E {
		return i + 1
	}
	return 0
}

// text returns the end of a sequence that carries text, such as a window title or a link. It ends with BEL or ST on the
// same line.
func text(s string, i int) int {
	for ; i < len(s) && s[i] != '\n'; i++ {
		switch rest := s[i:]; {
		case rest[0] == 0x07:
			return i + 1
		case strings.HasPrefix(rest, "\x1b\\"), strings.HasPrefix(rest, "\u009c"):
			return i + 2
		}
	}
	return 0
}

// IsForbidden reports whether a character never reaches a terminal, whoever wrote it: a control character other than
// newline and tab, a mark that changes the reading direction, a line or paragraph separator, or a noncharacter.
func IsForbidden(r rune) bool {
	return isDropped(r) || r == '\u2028' || r == '\u2029' || r == '\uFFFE' || r == '\uFFFF'
}
