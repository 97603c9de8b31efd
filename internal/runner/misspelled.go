package runner

import (
	"strings"
	"unicode"

	"github.com/arena-evals/arena/internal/diag"
)

// misspelled reports whether a model is meant to be the near one. Their versions are the same then, and each of their
// words is near the other's: models of one family differ in a number or a whole word.
func misspelled(model, near string) bool {
	if near == "" || only(unicode.IsDigit, model) != only(unicode.IsDigit, near) {
		return false
	}
	if only(letterOrDigit, model) == only(letterOrDigit, near) {
		return true
	}
	a, b := modelWords(model), modelWords(near)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && diag.Nearest(a[i], b[i:i+1]) == "" {
			return false
		}
	}
	return true
}

func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func modelWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !letterOrDigit(r) })
}

// only keeps some of the characters of a text, in lower case.
func only(keep func(rune) bool, s string) string {
	return strings.Map(func(r rune) rune {
		if keep(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
