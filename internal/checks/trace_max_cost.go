package checks

import (
	"context"
	"fmt"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
)

var maxCostDef = plain[maxCost](Def{
	Name:     "max_cost",
	Summary:  "All model calls of the conversation together cost at most so much.",
	Scoring:  "1 up to the limit, else 0. An error when the costs that are known are within it and others are not known.",
	Family:   FamilyTrace,
	Surfaces: OnAssertion | OnEval,
	Scope:    WholeAlways,
	Needs:    NeedsUsage,
	Reads:    ReadsNothing,
	Clean:    Limits,
})

type maxCost struct {
	MaxUSD float64 `param:"max_usd,required" alias:"max" min:"0" doc:"US dollars."`
}

func (c *maxCost) Eval(_ context.Context, s *Subject) (Finding, error) {
	limit := c.MaxUSD
	usd, unknown, calls := s.knownCost()
	if usd <= limit+slack && unknown > 0 {
		return Finding{}, notMeasured(fmt.Sprintf(
			"the cost of %d of %s is not known; write pricing in the config or in the file of the provider",
			unknown, plural.Count(calls, "model call")))
	}
	f := Finding{
		Explanation: "cost " + s.about() + fmt.Sprintf("%s, at most %s allowed", say.Money(usd), say.Money(limit)),
		Details:     Details{"total_cost_usd": usd, "max_usd": limit},
	}
	if unknown > 0 {
		f.Explanation += fmt.Sprintf(" (without %s of unknown cost)", plural.Count(unknown, "model call"))
	}
	if usd <= limit+slack {
		f.Score = 1
	}
	return f, nil
}
