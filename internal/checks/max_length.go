package checks

import (
	"context"
	"fmt"
	"unicode/utf8"
)

var maxLengthDef = define[maxLengthParams](Def{
	Name:     "max_length",
	Aliases:  []string{"length"},
	Summary:  "The reply has at most so many characters or tokens; the score falls with every one too many.",
	Scoring:  "1 up to the limit, then limit / length; the lower of the two when both limits are given.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	AnyOf:    []string{"max", "max_tokens"},
})

type maxLengthParams struct {
	Max       *int `param:"max" alias:"max_characters,max_chars" min:"1" doc:"Characters, spaces included."`
	MaxTokens *int `param:"max_tokens" min:"1" doc:"Tokens, estimated as one for every four characters."`
}

// charactersPerToken is the estimate that people use for English text.
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

func (c *maxLength) Eval(_ context.Context, s *Subject) (Finding, error) {
	n := utf8.RuneCountInString(s.Output())
	f := Finding{Score: 1, Explanation: count(n, "character"), Details: map[string]any{"length": n}}
	if c.chars > 0 {
		f.Score = shareOf(c.chars, n)
		f.Explanation += fmt.Sprintf(", at most %d allowed", c.chars)
		f.Details["max"] = c.chars
	}
	if c.tokens > 0 {
		tokens := n / charactersPerToken
		f.Score = min(f.Score, shareOf(c.tokens, tokens))
		f.Explanation += fmt.Sprintf("; about %s, at most %d allowed", count(tokens, "token"), c.tokens)
		f.Details["tokens"], f.Details["max_tokens"] = tokens, c.tokens
	}
	return f, nil
}

// shareOf is 1 up to the limit, and beyond it the share that the limit is of what there is.
func shareOf(limit, n int) float64 {
	if n <= limit {
		return 1
	}
	return float64(limit) / float64(n)
}
