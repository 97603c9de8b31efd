package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/say"
)

var compositionParallelCompleteDef = define[compositionParallelCompleteParams](Def{
	Name:     "composition_parallel_complete",
	Summary:  "Every branch of a parallel step of the composition came to its end.",
	Scoring:  "1 when the status of the step is complete, else 0.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsWorkflow,
	About:    CompositionPart,
})

type compositionParallelCompleteParams struct {
	Parallel string `param:"parallel,required" is:"step" doc:"Id of the parallel step."`
}

func (p compositionParallelCompleteParams) Build(*binder) Check {
	return compositionParallelComplete(p.Parallel)
}

type compositionParallelComplete string

func (c compositionParallelComplete) Eval(_ context.Context, s *Subject) (Finding, error) {
	if s.Composition == nil {
		return Finding{}, errNoComposition
	}
	status, ran := s.Composition.Parallels[string(c)]
	f := Finding{Details: map[string]any{"parallel": string(c), "status": status}}
	switch {
	case !ran:
		f.Explanation = "step " + string(c) + " has no status; " + those("statuses of", s.Composition.Parallels)
	case status != "complete":
		f.Explanation = "step " + string(c) + " is " + say.Named(status) + ", expected complete"
	default:
		f.Score, f.Explanation = 1, "step "+string(c)+" is complete"
	}
	return f, nil
}
