package checks

import (
	"context"
	"fmt"
	"math"

	"github.com/arena-evals/arena/internal/say"
)

var maxDurationDef = plain[maxDuration](Def{
	Name:     "max_duration",
	Summary:  "The conversation takes at most so long by the clock, from its start to its last event.",
	Scoring:  "1 up to the limit, else 0.",
	Family:   FamilyTrace,
	Surfaces: OnAssertion | OnEval,
	Scope:    WholeAlways,
	Needs:    NeedsUsage,
	Reads:    ReadsNothing,
	Clean:    Limits,
})

type maxDuration struct {
	MaxSeconds float64 `param:"max_seconds,required" min:"0" doc:"Seconds; pauses count, what overlaps counts once."`
}

func (c *maxDuration) Eval(_ context.Context, s *Subject) (Finding, error) {
	if s.ElapsedMS == nil {
		return Finding{}, errNoElapsed
	}
	seconds, limit := *s.ElapsedMS/1000, c.MaxSeconds
	f := Finding{
		Explanation: fmt.Sprintf("%s s, at most %s s allowed", say.Decimal(math.Round(seconds*1000)/1000),
			say.Decimal(limit)),
		Details: Details{"duration_seconds": seconds, "max_seconds": limit},
	}
	if seconds <= limit+slack {
		f.Score = 1
	}
	return f, nil
}
