package textsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/textmeasure"
)

// Word returns where a pattern stands in a text as words of its own, or -1. Both are folded already. Only the
// characters beside a match decide, so that patterns may begin and end with anything ("c++", ".net"). No word runs
// across an end that is neither letter nor digit: "http://" is found in any address, and "c++" in "c++11".
func Word(text, pattern string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], pattern)
		if i < 0 {
			return -1
		}
		i += from
		if startsWord(text, i) && endsWord(text, i+len(pattern), emphasized(text, i)) {
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
	return i == 0 || emphasized(text, i) || !textmeasure.InWord(before) || !textmeasure.InWord(first) ||
		unspaced(before) || unspaced(first)
}

// endsWord reports whether no word runs across the end of a match at i. An accent that follows belongs to the match's
// last letter, in every script. Nor does an underscore belong to a word that another one began: that is how Markdown
// writes _emphasis_.
func endsWord(text string, i int, emphasized bool) bool {
	if i == len(text) || emphasized && text[i] == '_' {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i:])
	if unicode.IsMark(after) {
		return !textmeasure.InWord(after)
	}
	return !textmeasure.InWord(after) || !textmeasure.InWord(last) || unspaced(after) || unspaced(last)
}

// emphasized reports whether a match at i stands behind underscores that begin a word.
func emphasized(text string, i int) bool {
	before := strings.TrimRight(text[:i], "_")
	last, _ := utf8.DecodeLastRuneInString(before)
	return len(before) < i && (before == "" || !textmeasure.InWord(last))
}

// unspaced reports whether a character belongs to a script that writes no spaces between words. There every place
// between two characters may be the end of a word.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}
