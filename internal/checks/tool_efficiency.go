package checks

import (
	"context"
	"strings"

	"github.com/arena-evals/arena/internal/say"
)

var toolEfficiencyDef = define[toolEfficiency](Def{
	Name:     "tool_efficiency",
	Summary:  "Calls and failures stay within limits; the score is the share of the calls that were left.",
	Scoring:  "0 when a limit is broken; else 1 - calls / max_calls, or 1 without max_calls. Within the limits it passes.",
	Family:   FamilyTools,
	Surfaces: OnEval,
	Needs:    NeedsCalls,
	Weighs:   CallOutcomes,
	Reads:    ReadsNothing,
	AnyOf:    []string{"max_calls", "max_errors", "max_error_rate"},
	Decides:  true,
	Clean:    Limits,
})

type toolEfficiency struct {
	MaxCalls     *int     `param:"max_calls" min:"0" doc:"Calls that are allowed, failed ones included."`
	MaxErrors    *int     `param:"max_errors" min:"0" doc:"Failed calls that are allowed."`
	MaxErrorRate *float64 `param:"max_error_rate" min:"0" max:"1" doc:"Share of the calls that may fail."`
}

func (p toolEfficiency) Build(b *binder) Check {
	if most := p.MaxErrorRate; most != nil && *most >= 1-slack {
		kind := asksNothing
		if p.MaxCalls == nil && p.MaxErrors == nil {
			kind = limitHolds
		}
		b.noteVacuousWithHint("max_error_rate", kind, "all calls may fail", "write less, or take it out")
	}
	return &p
}

func (c *toolEfficiency) limitedItself() bool { return true }

func (c *toolEfficiency) Eval(_ context.Context, s *Subject) (Finding, error) {
	calls, failed, rate := len(s.Calls), 0, 0.0
	for i := range s.Calls {
		if s.Calls[i].Failed() {
			failed++
		}
	}
	if calls > 0 {
		rate = float64(failed) / float64(calls)
	}
	var t tally
	if c.MaxCalls != nil {
		t.add("calls", float64(calls), float64(*c.MaxCalls), say.Decimal)
	}
	if c.MaxErrors != nil {
		t.add("failed calls", float64(failed), float64(*c.MaxErrors), say.Decimal)
	}
	if c.MaxErrorRate != nil {
		t.add("failed share of the calls", rate, *c.MaxErrorRate, say.Percent)
	}
	holds := len(t.broken) == 0
	f := Finding{Holds: &holds, Explanation: strings.Join(t.held, "; "), Details: Details{
		"total_calls": calls, "errors": failed, "error_rate": rate, "failures": atLeastEmpty(t.broken),
	}}
	switch {
	case !holds:
		f.Explanation = strings.Join(t.broken, "; ")
	case c.MaxCalls != nil && *c.MaxCalls > 0:
		f.Score = 1 - float64(calls)/float64(*c.MaxCalls)
	default:
		f.Score = 1
	}
	return f, nil
}
