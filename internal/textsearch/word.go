package textsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/textmeasure"
)

// Word returns where a pattern stands in a text as words of its own, or -1. Both are folded already. Only the
// characters beside a match decide, so that patterns may begin and end with anything ("c++", ".net").
func Word(text, pattern string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], pattern)
		if i < 0 {
			return -1
		}
		i += from
		if startsWord(text, i) && endsWord(text, i+len(pattern)) {
			return i
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		from = i + size
	}
}

// startsWord reports whether no word runs across the start of a match at i.
func startsWord(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	first, _ := utf8.DecodeRuneInString(text[i:])
	return i == 0 || !textmeasure.InWord(before) || unspaced(before) || unspaced(first)
}

// endsWord reports whether no word runs across the end of a match at i. An accent that follows belongs to the match's
// last letter, in every script.
func endsWord(text string, i int) bool {
	if i == len(text) {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i:])
	if unicode.IsMark(after) {
		return !textmeasure.InWord(after)
	}
	return !textmeasure.InWord(after) || unspaced(after) || unspaced(last)
}

// unspaced reports whether a character belongs to a script that writes no spaces between words. There every place
// between two characters may be the end of a word.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}
