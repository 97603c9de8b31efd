package checks

import (
	"context"
	"fmt"
	"math"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/say"
)

var latencyBudgetDef = plain[latencyBudget](Def{
	Name:    "latency_budget",
	Summary: "The model gave its last reply in time; the score falls the longer it took beyond that.",
	Scoring: "1 up to max_ms, then max_ms / time taken. An error when the time is not known. The time is that of the " +
		"one call of the model that gave the reply: not of the calls before it, nor of tools. max_duration has all of it. " +
		"Of a program or an endpoint that does not tell its calls of models it is all its time in the turn.",
	Family:   FamilyBudget,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsUsage,
	Reads:    ReadsNothing,
	Clean:    Limits,

	LastReply: true,
})

type latencyBudget struct {
	MaxMS float64 `param:"max_ms,required" above:"0" doc:"Milliseconds of the call of the model that gave the reply."`
}

func (c *latencyBudget) Eval(_ context.Context, s *Subject) (Finding, error) {
	took, budget := s.latency(), c.MaxMS
	if took == nil {
		if !s.HasReply() {
			return Finding{}, errNoReply
		}
		return Finding{}, errNoLatency
	}
	score := 1.0
	if *took > budget {
		score = budget / *took
	}
	return Finding{
		Score:       score,
		Explanation: fmt.Sprintf("%s ms, at most %s ms allowed", say.Decimal(math.Round(*took*100)/100), say.Decimal(budget)),
		Details:     Details{"latency_ms": *took, "budget_ms": budget},
	}, nil
}

// latency is the time to the last reply in scope; nil when it is not known.
func (s *Subject) latency() *float64 {
	if s.LatencyMS != nil {
		return s.LatencyMS
	}
	if took := chat.LastLatency(s.Messages[s.Start:]); took != nil && *took > 0 {
		return took
	}
	return nil
}
