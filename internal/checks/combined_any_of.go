package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
)

var anyOfDef = define[anyOfParams](Def{
	Name:    "any_of",
	Summary: "At least one of some checks passes.",
	Scoring: "The highest score of the checks. Passes when any of them passes, held against its own thresholds. " +
		"With a min_score, when one reaches it that breaks no threshold of its own.",
	Family:   FamilyCombined,
	Surfaces: Everywhere,
	Decides:  true,
})

type anyOfParams struct {
	Checks []nestedCheck `param:"checks,required" doc:"The checks; after a score of 1 nothing outside is asked."`
}

func (p anyOfParams) Build(b *binder) Check {
	if one, other := opposed(p.Checks); one != "" {
		b.noteVacuousWithHint("checks", limitHolds, one+" and "+other+" in it are opposites, of which one always holds",
			"leave out what need not hold")
	}
	return &disjunction{partsOf(p.Checks)}
}

type disjunction struct{ parts }

func (c *disjunction) Eval(ctx context.Context, s *Subject) (Finding, error) {
	all, whole, err := c.judge(ctx, s, func(v result.Verdict) bool { return v.Passed && *v.Score >= 1-slack })
	if err != nil {
		return Finding{}, err
	}
	scores, passed := applied(all)
	kept := slices.Max(whole.keptOf(all))
	holds := passed > 0
	text, details := c.summary(all, func(v *result.Verdict) bool { return v.Passed == holds })
	return Finding{
		Score: slices.Max(scores), Holds: &holds, Details: Details{"checks": details},
		Explanation: fmt.Sprintf("%d of %s passed; %s", passed, plural.Count(len(scores), "check"), text),
		doubt:       whole.doubt, kept: &kept, silent: whole.silent && !holds, way: whole.way,
	}, nil
}
