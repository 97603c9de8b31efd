package textsearch

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzSearch compares the search in pieces with a search in the whole text.
func FuzzSearch(f *testing.F) {
	f.Add("buy a lottery ticket", "lot\nlottery", []byte{3, 1, 9}, true, false)
	f.Add("aaab \xff Éa b", "aab\nb\né", []byte{1}, false, true)
	f.Add("今日の天気は\xe5\xa4", "天気\nは", []byte{2, 2}, true, true)
	f.Fuzz(func(t *testing.T, text, list string, cuts []byte, words, sensitive bool) {
		texts := strings.FieldsFunc(list, func(r rune) bool { return r == '\n' })
		if len(texts) == 0 || !utf8.ValidString(list) || len(text) > 300 {
			t.Skip()
		}
		fold := strings.ToLower
		if sensitive {
			fold = func(text string) string { return text }
		}
		for i := range texts {
			texts[i] = fold(texts[i])
		}
		s := NewSet(texts, !sensitive, words).Follow()
		for at, n := 0, 0; at < len(text); n++ {
			next := at + 1
			if len(cuts) > 0 {
				next = min(at+int(cuts[n%len(cuts)])%7, len(text))
			}
			found := s.Write(text[at:next])
			at = next
			seen := text[:at-len(s.whole.rest)]
			if want := decided(texts, fold(seen), words); want != found {
				t.Fatalf("after %q: found %v, want %v", seen, found, want)
			}
			if n > 10*len(text) { // nothing but empty pieces
				return
			}
		}
		if s.whole.rest == "" && (s.found || s.open) != found(texts, fold(text), words) {
			t.Fatalf("at the end of %q: found %v, open %v, want the other", text, s.found, s.open)
		}
	})
}

// found looks for texts in a whole text.
func found(texts []string, in string, words bool) bool {
	for _, text := range texts {
		if !words && strings.Contains(in, text) || words && Word(in, text) >= 0 {
			return true
		}
	}
	return false
}

// decided looks for texts in a text that goes on.
func decided(texts []string, in string, words bool) bool {
	if !words {
		return found(texts, in, words)
	}
	for _, text := range texts {
		for i := 0; i+len(text) < len(in); i++ {
			if strings.HasPrefix(in[i:], text) && startsWord(in, i) && endsWord(in, i+len(text), emphasized(in, i)) {
				return true
			}
		}
	}
	return false
}
