package checks

import (
	"context"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
)

var maxTurnsDef = plain[maxTurns](Def{
	Name: "max_turns",
	Summary: "The whole conversation takes at most so many model calls; every round of a tool loop is one, tool calls " +
		"are none.",
	Scoring:  "1 up to the limit, else 0.",
	Family:   FamilyTrace,
	Surfaces: OnAssertion | OnEval,
	Scope:    WholeAlways,
	Needs:    NeedsReply,
	Wordless: true,
	Reads:    ReadsNothing,
	Clean:    Limits,
})

type maxTurns struct {
	Max int `param:"max,required" min:"1" doc:"Model calls."`
}

func (c *maxTurns) Eval(_ context.Context, s *Subject) (Finding, error) {
	if s.isUnreported(chat.UnreportedModelCalls) {
		return Finding{}, errModelCallsUnreported
	}
	calls, limit := s.modelCalls(), c.Max
	f := Finding{
		Explanation: fmt.Sprintf("%s, at most %d allowed", plural.Count(calls, "model call"), limit),
		Details:     Details{"model_calls": calls, "max": limit},
	}
	if calls <= limit {
		f.Score = 1
	}
	return f, nil
}
