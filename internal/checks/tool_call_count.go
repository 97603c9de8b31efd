package checks

import (
	"context"
	"fmt"

	"github.com/arena-evals/arena/internal/plural"
)

var toolCallCountDef = define[toolCallCount](Def{
	Name:     "tool_call_count",
	Summary:  "The number of calls, of one tool or of all, is within bounds; failed calls count.",
	Scoring:  "1 when the number of calls is within min and max, else 0.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Reads:    ReadsNothing,
	AnyOf:    []string{"min", "max"},
	Opposite: "for more calls write min",
})

type toolCallCount struct {
	Tool string `param:"tool" alias:"tool_name" is:"tool" doc:"Count only the calls of this tool; all calls when left out."`
	Min  *int   `param:"min" min:"0" doc:"Calls that are wanted at least."`
	Max  *int   `param:"max" min:"0" doc:"Calls that are allowed at most; 0 forbids them."`
}

func (p toolCallCount) Build(b *binder) Check {
	if p.Min != nil && p.Max != nil && *p.Min > *p.Max {
		b.errorf("min", "out-of-range", "min %d is above max %d, so no count passes", *p.Min, *p.Max)
	}
	if p.Min != nil && *p.Min == 0 && p.Max == nil {
		b.noteVacuous("min", scoreIsFixed, "there are always that many calls")
	}
	return &p
}

func (c *toolCallCount) limits() (some, alone bool) { return c.Max != nil, c.Min == nil }

func (c *toolCallCount) Eval(_ context.Context, s *Subject) (Finding, error) {
	n := 0
	for i := range s.Calls {
		if c.Tool == "" || s.Calls[i].Name == c.Tool {
			n++
		}
	}
	f := Finding{Score: 1, Details: Details{"tool": c.Tool, "count": n}}
	f.Explanation = plural.Count(n, "call")
	if c.Tool != "" {
		f.Explanation += " of " + c.Tool
	}
	if c.Min != nil {
		f.Details["min"] = *c.Min
		f.Explanation += fmt.Sprintf(", at least %d needed", *c.Min)
	}
	if c.Max != nil {
		f.Details["max"] = *c.Max
		f.Explanation += fmt.Sprintf(", at most %d allowed", *c.Max)
	}
	if c.Min != nil && n < *c.Min || c.Max != nil && n > *c.Max {
		f.Score = 0
	}
	return f, nil
}
