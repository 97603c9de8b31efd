package checks

import (
	"regexp"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/say"
)

// warnOtherScale warns of texts for a judge that ask for grades on another scale than from 0 to 1. A judge that keeps
// to it gives its worst grade where arena reads the best one.
func (b *binder) warnOtherScale(params ...string) {
	for _, param := range params {
		n := b.read[param]
		if n == nil {
			continue
		}
		if scale := otherScale(n.Value); scale != "" {
			b.r.Warnf(n, "other-scale", "%s: %s: %s is another scale than from 0 to 1: a grade of 1 counts as the best, and a "+
				"higher one is an error", b.name, param, say.Quote(scale)).Hint = "write what a grade of 0 and what one of 1 means"
		}
	}
}

// otherScale is the part of a text that names a scale for grades, from 0 or 1 to more than 1; "": there is none.
func otherScale(text string) string {
	if !strings.ContainsAny(text, "3456780") {
		return ""
	}
	return scales().FindString(text)
}

var scales = sync.OnceValue(func() *regexp.Regexp {
	const (
		grade = `\b(?:scales?|ratings?|rate|scores?|grades?|marks?|skala|noten?|bewerte|échelle|notez|évaluez|escala|` +
			`puntúa|califica)`
		words = `(?::|,? (?:it|this|the|reply|response|answer|each|them|on|a|an|scale|of|from|between|in|range|with|` +
			`is|be|must|` +
			`should|integer|number|von|zwischen|mit|auf|einer|skala|die|antwort|de|entre|sur|une|échelle|la|réponse|` +
			`respuesta|del|` +
			`en|una|escala))*`
		top = `(?:[3-7]|10|20|100)\b`
	)
	return regexp.MustCompile(`(?i)` + grade + words + `,? \(?(?:[01] ?(?:-|–|to|and|through|bis|und|à|et|al?|y) ?` + top +
		`|(?:points? )?out of ` + top + `)`)
})
