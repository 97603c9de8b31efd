package checks

import (
	"context"
	"fmt"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
)

var allOfDef = define[allOfParams](Def{
	Name:     "all_of",
	Summary:  "Every one of some checks passes.",
	Scoring:  "The lowest score of the checks. Passes when each passes, held against its own thresholds.",
	Family:   FamilyCombined,
	Surfaces: Everywhere,
	Decides:  true,
})

type allOfParams struct {
	Checks []nestedCheck `param:"checks,required" doc:"The checks; those that cost nothing run first."`
}

func (p allOfParams) Build(*binder) Check { return &conjunction{partsOf(p.Checks)} }

type conjunction struct{ parts }

func (c *conjunction) Eval(ctx context.Context, s *Subject) (Finding, error) {
	all, err := c.judge(ctx, s, func(v result.Verdict) bool { return !v.Passed && *v.Score == 0 })
	if err != nil {
		return Finding{}, err
	}
	score, passed, n := 1.0, 0, 0
	for i := range all {
		if v := &all[i]; v.Status != result.Skipped {
			n++
			score = min(score, *v.Score)
			if v.Passed {
				passed++
			}
		}
	}
	text, details := c.summary(all, func(v *result.Verdict) bool { return !v.Passed })
	holds := passed == n
	f := Finding{
		Score: score, Holds: &holds, Explanation: fmt.Sprintf("%d of %s passed", passed, plural.Count(n, "check")),
		Details: map[string]any{"checks": details},
	}
	if !holds {
		f.Explanation += "; " + text
	}
	return f, nil
}
