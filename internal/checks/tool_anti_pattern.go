package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
)

var toolAntiPatternDef = define[toolAntiPatternParams](Def{
	Name:     "tool_anti_pattern",
	Summary:  "None of some orders of tool calls occurs, not even with other calls between.",
	Scoring:  "0 when one of the orders occurs, else 1; failed calls count.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Reads:    ReadsNothing,
	Clean:    Bans,
	Opposite: "to ask for an order use tool_call_sequence",
})

type toolAntiPatternParams struct {
	Patterns []antiPattern `param:"patterns,required" doc:"Orders of calls that must not occur."`
}

type antiPattern struct {
	Sequence []string `param:"sequence,required" is:"tool" doc:"Names of tools in their order."`
	Message  string   `param:"message" is:"prose" doc:"Why not; shown when it occurs."`
}

func (p toolAntiPatternParams) Build(*binder) Check { return toolAntiPattern(p.Patterns) }

type toolAntiPattern []antiPattern

func (c toolAntiPattern) Eval(_ context.Context, s *Subject) (Finding, error) {
	called := namesOf(s.Calls)
	var found violationList
	for i := range c {
		p := &c[i]
		if o := inOrder(p.Sequence, called); !o.complete() {
			continue
		}
		text := "called in this order: " + say.Chained(p.Sequence)
		if p.Message != "" {
			text += " (" + say.OneLine(p.Message) + ")"
		}
		found.add(text, Details{"sequence": p.Sequence, "message": p.Message})
	}
	orders, calls := plural.Count(len(c), "order"), plural.Count(len(called), "call")
	f := found.finding(orders+" to avoid, none occurs in "+calls, "")
	f.Details["actual_tools"] = called
	return f, nil
}
