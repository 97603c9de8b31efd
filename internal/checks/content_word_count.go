package checks

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

var wordCountDef = define[wordCountParams](Def{
	Name:     "word_count",
	Summary:  "The reply has a number of words.",
	Scoring:  "1 within the bounds, below them words / min, above them max / words.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Form:     true,
	AnyOf:    []string{"min", "max"},
	Opposite: "for more words write min",
})

type wordCountParams struct {
	Min *int `param:"min" alias:"min_words" min:"1" doc:"The least number of words; a Chinese or Japanese character is one."`
	Max *int `param:"max" alias:"max_words" min:"0" doc:"The greatest number of words."`
}

func (p wordCountParams) Build(b *binder) Check {
	c := &wordCount{max: math.MaxInt, params: p}
	if p.Min != nil {
		c.min = *p.Min
	}
	if p.Max != nil {
		c.max = *p.Max
	}
	if c.min > c.max {
		b.errorf("min", "out-of-range", "min %d is above max %d, so no reply passes", c.min, c.max)
	}
	return c
}

type wordCount struct {
	min, max int
	params   wordCountParams
}

func (c *wordCount) limits() (some, alone bool) { return c.params.Max != nil, c.params.Min == nil }

func (c *wordCount) Eval(_ context.Context, s *Subject) (Finding, error) {
	if run := unspaced(s.Output()); run != "" {
		return Finding{}, fmt.Errorf("its words cannot be counted: %s is written without blanks between words",
			say.Quote(run))
	}
	n := countWords(s.Output())
	f := Finding{Explanation: plural.Count(n, "word"), Details: Details{"words": n}}
	if c.params.Min != nil {
		f.Explanation += fmt.Sprintf(", at least %d needed", c.min)
		f.Details["min"] = c.min
	}
	if c.params.Max != nil {
		f.Explanation += fmt.Sprintf(", at most %d allowed", c.max)
		f.Details["max"] = c.max
	}
	f.Score = shareOf(c.max, n)
	if n < c.min {
		f.Score = float64(n) / float64(c.min)
	}
	return f, nil
}

// longestWord is the maximum number of letters of a word in a script without spaces between words.
const longestWord = 20

// unspaced is a longer run of letters of such a script; "": there is none.
func unspaced(text string) string {
	from, n := 0, 0
	for i, r := range text {
		switch {
		case !unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			n = 0
			continue
		case n == 0:
			from = i
		}
		if n++; n > longestWord {
			return text[from : i+utf8.RuneLen(r)]
		}
	}
	return ""
}

// countWords counts the runs between white space and dashes that have a letter or a digit: "don't", "3.14" and
// "well-known" are one word, "-" is none. Chinese and Japanese characters count one by one.
func countWords(text string) int {
	n, inside, before := 0, false, ' '
	for _, r := range text {
		dashes := r == '-' && before == '-' || strings.ContainsRune("–—―…", r)
		before = r
		switch {
		case unicode.IsSpace(r), dashes:
			inside = false
		case textmeasure.Ideographic(r):
			n, inside = n+1, false
		case !inside && (unicode.IsLetter(r) || unicode.IsNumber(r)):
			n, inside = n+1, true
		}
	}
	return n
}
