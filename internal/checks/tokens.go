package checks

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// tokens are the words of a text as measures of overlap count them: runs of letters, accents and digits. Chinese and
// Japanese characters stand alone. With punctuation every other character that is no white space is a token too.
func tokens(text string, punctuation bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1 // of the word under way
		for i, r := range text {
			word := inWord(r) && r != '_'
			alone := word && ideographic(r)
			if word && !alone {
				if start < 0 {
					start = i
				}
				continue
			}
			if start >= 0 && !yield(text[start:i]) {
				return
			}
			start = -1
			if alone || punctuation && !word && !unicode.IsSpace(r) {
				_, size := utf8.DecodeRuneInString(text[i:])
				if !yield(text[i : i+size]) {
					return
				}
			}
		}
		if start >= 0 {
			yield(text[start:])
		}
	}
}

// ideographic reports whether a character is a word, or as near as can be told to one: Chinese, and the syllables of
// Japanese.
func ideographic(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// tokenItems makes items of the words of a reply and of those of some references.
func tokenItems(reply string, references []string, punctuation bool) (items, []items) {
	n := numbered[string]{}
	others := make([]items, len(references))
	for i, reference := range references {
		for word := range tokens(reference, punctuation) {
			others[i] = n.add(others[i], word)
		}
	}
	var list items
	for word := range tokens(reply, punctuation) {
		list = append(list, n[word])
	}
	return list, others
}
