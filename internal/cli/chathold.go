package cli

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wholeWords is how much of a text that still comes can be written: secrets are taken out of what is written at once,
// and one must not come to the screen in two pieces. It ends behind the last blank, or letter of another alphabet, and
// before what may be the beginning of a secret that has such a character within.
func wholeWords(text string, secrets []string) int {
	end := strings.LastIndexFunc(text, apartFromKeys)
	if end < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(text[end:])
	end += size
	for _, s := range secrets {
		if !strings.ContainsFunc(s, apartFromKeys) {
			continue
		}
		for at := max(len(text)-len(s)+1, 0); at < end; at++ {
			if strings.HasPrefix(s, text[at:]) {
				end = at
				break
			}
		}
	}
	return end
}

// apartFromKeys reports whether a character is none of a word that may be a key.
func apartFromKeys(r rune) bool { return r >= utf8.RuneSelf || unicode.IsSpace(r) }
