package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
)

var allOfDef = define[allOfParams](Def{
	Name:    "all_of",
	Summary: "Every one of some checks passes.",
	Scoring: "The lowest score of the checks. Passes when each passes, held against its own thresholds. " +
		"With a min_score, when that is reached and none breaks a threshold of its own.",
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
	all, whole, err := c.judge(ctx, s, func(v result.Verdict) bool { return !v.Passed && *v.Score == 0 })
	if err != nil {
		return Finding{}, err
	}
	scores, passed := applied(all)
	text, details := c.summary(all, func(v *result.Verdict) bool { return !v.Passed })
	kept := slices.Min(whole.keptOf(all))
	holds := passed == len(scores)
	f := Finding{
		Score: slices.Min(scores), Holds: &holds, Details: Details{"checks": details},
		Explanation: fmt.Sprintf("%d of %s passed", passed, plural.Count(len(scores), "check")),
		doubt:       whole.doubt, kept: &kept, silent: whole.silent, way: whole.way,
	}
	if !holds {
		f.Explanation += "; " + text
	}
	return f, nil
}
