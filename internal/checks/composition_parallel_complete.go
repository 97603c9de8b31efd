package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/say"
)

var compositionParallelCompleteDef = plain[compositionParallelComplete](Def{
	Name:     "composition_parallel_complete",
	Summary:  "Every branch of a parallel step of the composition came to its end.",
	Scoring:  "1 when the status of the step is complete, else 0.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsWorkflow,
	Reads:    ReadsNothing,
	About:    CompositionPart,
})

type compositionParallelComplete struct {
	Parallel string `param:"parallel,required" is:"step" doc:"Id of the parallel step."`
}

func (c *compositionParallelComplete) Eval(_ context.Context, s *Subject) (Finding, error) {
	if s.Composition == nil || s.Composition.None {
		return Finding{}, errNoComposition
	}
	status, ran := s.Composition.Parallels[c.Parallel]
	f := Finding{Details: Details{"parallel": c.Parallel, "status": status}}
	switch {
	case !ran:
		f.Explanation = "step " + c.Parallel + " has no status; " + those("statuses of", s.Composition.Parallels)
	case status != "complete":
		f.Explanation = "step " + c.Parallel + " is " + say.Named(status) + ", expected complete"
	default:
		f.Score, f.Explanation = 1, "step "+c.Parallel+" is complete"
	}
	return f, nil
}
