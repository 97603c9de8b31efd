package checks

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

var toolCallF1Def = plain[toolCallF1](Def{
	Name:     "tool_call_f1",
	Summary:  "The tools that were called are those that were expected, each as often, in any order.",
	Scoring:  "F1 of the called names against the expected ones, repeats counted; min_score allows for less than all.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Reads:    ReadsNothing,
})

type toolCallF1 struct {
	ExpectedTools []string `param:"expected_tools,required" is:"tool" doc:"Names of tools; one to be called twice is named twice."`
}

func (*toolCallF1) asksEach() (of, instead string) {
	return "call", "write tools_not_called for tools that must not be called"
}

func (c *toolCallF1) Eval(_ context.Context, s *Subject) (Finding, error) {
	open := map[string]int{} // name → how many more calls are expected
	for _, name := range c.ExpectedTools {
		open[name]++
	}
	o := textmeasure.Overlap{Expected: len(c.ExpectedTools), Actual: len(s.Calls)}
	unexpected := []string{}
	for i := range s.Calls {
		name := s.Calls[i].Name
		if open[name] == 0 {
			unexpected = append(unexpected, name)
			continue
		}
		open[name]--
		o.Matched++
	}
	missing := []string{}
	for _, name := range slices.Sorted(maps.Keys(open)) {
		missing = append(missing, slices.Repeat([]string{name}, open[name])...)
	}
	f := Finding{Score: o.F1(), Details: Details{
		"precision": sixDigits(o.Precision()), "recall": sixDigits(o.Recall()), "f1": sixDigits(o.F1()),
		"missing_tools": missing, "unexpected_tools": unexpected,
	}}
	f.Explanation = fmt.Sprintf("%d of %s made", o.Matched, plural.Count(o.Expected, "expected call"))
	if len(missing) > 0 {
		f.Explanation += "; missing: " + say.Chained(missing)
	}
	if len(unexpected) > 0 {
		f.Explanation += "; not expected: " + say.Chained(unexpected)
	}
	return f, nil
}
