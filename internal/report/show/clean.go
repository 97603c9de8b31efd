package show

import (
	"strings"
	"unicode/utf8"
)

// Clean makes untrusted text safe for a terminal and for XML, without hiding anything: a visible sign replaces each
// character that a terminal would obey or that a reader would not see. \r
// becomes
// , and each byte of invalid UTF-8 becomes U+FFFD. Newlines and tabs stay. Clean text is returned unchanged.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	b := make([]byte, 0, len(s)+len(s)/4)
	before := rune(0)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == '\r' && strings.HasPrefix(s[i:], "\n"):
		case IsHidden(r, before):
			b, r = AppendSign(b, r), 0
		default:
			b = utf8.AppendRune(b, r) // the RuneError of an invalid byte is written as such
		}
		before = r
	}
	return string(b)
}

// Line is Clean on one line: every run of white space is one space.
func Line(s string) string {
	return strings.Join(strings.Fields(Clean(s)), " ")
}

// isPlain reports whether a text is only printable ASCII, newlines and tabs, as most text is. Clean returns such text
// unchanged.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' && c != '\n' && c != '\t') || c > '~' {
			return false
		}
	}
	return true
}
