package memory

import (
	"strings"
	"unicode"
)

// words are the words of a text: its letters and digits, in lower case, without an s at the end.
func words(text string) map[string]bool {
	all := map[string]bool{}
	other := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), other) {
		if short := strings.TrimSuffix(w, "s"); short != "" {
			w = short
		}
		all[w] = true
	}
	return all
}
