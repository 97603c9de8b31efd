package checks

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/textsearch"
)

var maxLengthDef = define[maxLengthParams](Def{
	Name:     "max_length",
	Aliases:  []string{"length"},
	Summary:  "The reply has at most so many characters or tokens; the score falls with every one too many.",
	Scoring:  "1 up to the limit, then limit / length; the lower of the two when both limits are given.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	OnFire:   Cuts,
	AnyOf:    []string{"max", "max_tokens"},
	Clean:    Limits,
	Opposite: "for a length that is wanted at least use min_length",
})

type maxLengthParams struct {
	Max       *int `param:"max" alias:"max_characters,max_chars" min:"1" doc:"Characters, spaces included."`
	MaxTokens *int `param:"max_tokens" min:"1" doc:"Tokens, estimated as one for every four characters."`
}

// charactersPerToken is the usual estimate for English text.
const charactersPerToken = 4

func (p maxLengthParams) Build(*binder) Check {
	c := &maxLength{}
	if p.Max != nil {
		c.chars = *p.Max
	}
	if p.MaxTokens != nil {
		c.tokens = *p.MaxTokens
	}
	return c
}

type maxLength struct{ chars, tokens int } // 0: no limit

func (*maxLength) boundsRedacted() {}

func (c *maxLength) Eval(_ context.Context, s *Subject) (Finding, error) {
	n := s.length()
	f := Finding{Score: c.score(n), Explanation: plural.Count(n, "character"), Details: Details{"length": n}}
	if c.chars > 0 {
		f.Explanation += fmt.Sprintf(", at most %d allowed", c.chars)
		f.Details["max"] = c.chars
	}
	if c.tokens > 0 {
		tokens := n / charactersPerToken
		f.Explanation += fmt.Sprintf("; about %s, at most %d allowed", plural.Count(tokens, "token"), c.tokens)
		f.Details["tokens"], f.Details["max_tokens"] = tokens, c.tokens
	}
	return f, nil
}

// score returns the score for a number of characters.
func (c *maxLength) score(n int) float64 {
	score := 1.0
	if c.chars > 0 {
		score = shareOf(c.chars, n)
	}
	if c.tokens > 0 {
		score = min(score, shareOf(c.tokens, n/charactersPerToken))
	}
	return score
}

// Stream implements Streamer: a reply only gets longer.
func (c *maxLength) Stream() Stream { return &lengthStream{check: c} }

type lengthStream struct {
	check *maxLength
	whole textsearch.Runes
	n     int // characters
}

func (s *lengthStream) Write(piece string) float64 {
	s.n += utf8.RuneCountInString(s.whole.Take(piece))
	return s.check.score(s.n)
}

// Cut implements cutter.
func (c *maxLength) Cut(text string) string {
	n, limit := utf8.RuneCountInString(text), 0
	if c.chars > 0 && n > c.chars {
		limit = c.chars
	}
	if c.tokens > 0 && n/charactersPerToken > c.tokens {
		most := c.tokens * charactersPerToken
		if limit == 0 || most < limit {
			limit = most
		}
	}
	if limit == 0 {
		return text
	}
	end := 0
	for range limit {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end]
}

// shareOf is 1 up to the limit, and limit/n beyond it.
func shareOf(limit, n int) float64 {
	if n <= limit {
		return 1
	}
	return float64(limit) / float64(n)
}
