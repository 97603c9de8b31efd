package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/result"
)

var notDef = define[notParams](Def{
	Name:    "not",
	Summary: "Another check does not pass.",
	Scoring: "1 - score of the check. Passes when the check, held against its own thresholds, does not; a min_score " +
		"beside it must hold as well.",
	Family:   FamilyCombined,
	Surfaces: Everywhere,
	Decides:  true,
	Clean:    Bans,
})

type notParams struct {
	Check nestedCheck `param:"check,required" doc:"The check that must not pass; where it cannot judge, that is an error here too."`
}

func (p notParams) Build(*binder) Check { return &negation{parts{p.Check.compiled}} }

type negation struct{ parts }

func (c *negation) Eval(ctx context.Context, s *Subject) (Finding, error) {
	all, whole, err := c.judge(ctx, s, func(result.Verdict) bool { return false })
	if err != nil {
		return Finding{}, err
	}
	text, details := c.summary(all, func(*result.Verdict) bool { return true })
	holds := all[0].Status == result.Failed
	score, kept := 1-*all[0].Score, float64(brokenLimit)
	if holds {
		kept = score
	}
	return Finding{
		Score: score, Holds: &holds, kept: &kept, Explanation: text, Details: Details{"checks": details},
		doubt: whole.doubt, silent: whole.silent, way: whole.way,
	}, nil
}

// limitedItself: a not is a limit of its own. If the check within it passes, no threshold makes up for that.
func (*negation) limitedItself() bool { return true }
