package checks

import (
	"context"
	"fmt"
	"math"
	"unicode"

	"github.com/arena-evals/arena/internal/plural"
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
		b.errorf("min", "out-of-range", "min %d is above max %d, so that no reply passes", c.min, c.max)
	}
	return c
}

type wordCount struct {
	min, max int
	params   wordCountParams
}

func (c *wordCount) limits() (some, alone bool) { return c.params.Max != nil, c.params.Min == nil }

func (c *wordCount) Eval(_ context.Context, s *Subject) (Finding, error) {
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

// countWords counts the runs between white space that have a letter or a digit: "don't" and "3.14" are one word, "-" is
// none. Chinese and Japanese characters count one by one.
func countWords(text string) int {
	n, inside := 0, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			inside = false
		case textmeasure.Ideographic(r):
			n, inside = n+1, false
		case !inside && (unicode.IsLetter(r) || unicode.IsNumber(r)):
			n, inside = n+1, true
		}
	}
	return n
}
