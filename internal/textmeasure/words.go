package textmeasure

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Tokens are the words of a text as measures of overlap count them: runs of letters, accents and digits. Chinese and
// Japanese characters stand alone. With punctuation every other character that is no white space is a token too.
func Tokens(text string, punctuation bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1 // of the word under way
		for i, r := range text {
			word := InWord(r) && r != '_'
			alone := word && Ideographic(r)
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

// Ideographic reports whether a character is a word, or as near as can be told to one: Chinese, and the syllables of
// Japanese.
func Ideographic(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// Words makes items of the words of a reply and of those of some references.
func Words(reply string, references []string, punctuation bool) (Items, []Items) {
	n := numbered[string]{}
	others := make([]Items, len(references))
	for i, reference := range references {
		for word := range Tokens(reference, punctuation) {
			others[i] = n.add(others[i], word)
		}
	}
	var list Items
	for word := range Tokens(reply, punctuation) {
		list = append(list, n[word])
	}
	return list, others
}

// InWord reports whether a character is part of words: letters, accents, digits, connectors and joiners
// (https://www.unicode.org/reports/tr18/#Simple_Word_Boundaries). Variation selectors only choose a glyph.
func InWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return r != utf8.RuneError && !unicode.Is(unicode.Variation_Selector, r) &&
		(unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) || unicode.Is(unicode.Pc, r) ||
			unicode.Is(unicode.Join_Control, r))
}
