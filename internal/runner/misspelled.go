package runner

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// misspelled reports whether a model name is probably a misspelling of near: their digits are the same, and each word
// is near its counterpart. Models of one family differ in a digit or in a whole word.
func misspelled(model, near string) bool {
	if near == "" || keepRunes(unicode.IsDigit, model) != keepRunes(unicode.IsDigit, near) {
		return false
	}
	if keepRunes(letterOrDigit, model) == keepRunes(letterOrDigit, near) {
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

// keepRunes returns the characters of s that keep selects, in lower case.
func keepRunes(keep func(rune) bool, s string) string {
	return strings.Map(func(r rune) rune {
		if keep(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// checkOverrides warns of model_overrides for a misspelled model. A model that is unknown here may belong to another
// project with the same prompt.
func (m *matrix) checkOverrides(p *scenario.Project, spans []span) {
	var models []string
	for _, spec := range slices.Concat(p.Providers, m.adHoc) {
		models = append(models, spec.Model)
	}
	met := map[*scenario.Prompt]bool{}
	for i := range spans {
		prompt := spans[i].Prompt
		if prompt == nil || len(prompt.Overrides) == 0 || met[prompt] || spans[i].Recorded != nil {
			continue
		}
		met[prompt] = true
		for model, o := range prompt.Overrides {
			if near := diag.Nearest(model, models); !slices.Contains(models, model) && misspelled(model, near) {
				m.diags.Warnf(o.Pos, utf8.RuneCountInString(model), scenario.NoEffect,
					"model_overrides.%s has no effect: no provider has this model", model).Hint = diag.DidYouMean(model, models)
			}
		}
	}
}
