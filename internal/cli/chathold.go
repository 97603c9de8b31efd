package cli

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printableLength is the length of the part of a streamed text that can be shown now. Secrets are removed from each
// shown part, so none may be split over two. The part ends behind the last blank or non-ASCII character, and before
// what may be the start of a secret that holds such a character.
func printableLength(text string, secrets []string) int {
	end := strings.LastIndexFunc(text, endsWord)
	if end < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(text[end:])
	end += size
	for _, s := range secrets {
		if !strings.ContainsFunc(s, endsWord) {
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

// endsWord reports whether a character cannot be part of a key.
func endsWord(r rune) bool { return r >= utf8.RuneSelf || unicode.IsSpace(r) }
