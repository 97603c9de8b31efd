package html

import (
	"fmt"
	"strings"
	"unicode"
)

// visible writes out what a text could hide: control characters, and invisible or direction-changing ones. Tabs and
// line ends stay. Bytes that are no UTF-8 become U+FFFD. assets/dom.js holds the same rule for the browser.
func visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if !hidden(r) || r == '\r' && strings.HasPrefix(s[i+1:], "\n") {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

// hidden reports whether a reader could not see the character, or see it in the wrong place. Joiners stay: scripts
// and emoji need them.
func hidden(r rune) bool {
	if r == '\t' || r == '\n' || r == 0x200c || r == 0x200d {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
