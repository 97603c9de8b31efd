package checks

import (
	"context"
	"fmt"

	"github.com/arena-evals/arena/internal/plural"
)

var minLengthDef = plain[minLength](Def{
	Name:     "min_length",
	Summary:  "The reply has at least so many characters; the score is the share of them that it has.",
	Scoring:  "1 from min on, below it length / min.",
	Family:   FamilyContent,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Form:     true,
})

type minLength struct {
	Min int `param:"min,required" alias:"min_characters,min_chars" min:"1" doc:"Characters, spaces included."`
}

func (*minLength) boundsRedacted() {}

func (c *minLength) Eval(_ context.Context, s *Subject) (Finding, error) {
	n := s.length()
	return Finding{
		Score:       min(1, float64(n)/float64(c.Min)),
		Explanation: fmt.Sprintf("%s, at least %d needed", plural.Count(n, "character"), c.Min),
		Details:     Details{"length": n, "min": c.Min},
	}, nil
}
