package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/say"
)

var workflowCompleteDef = plain[workflowComplete](Def{
	Name:     "workflow_complete",
	Summary:  "The workflow has come to a terminal state.",
	Scoring:  "1 in a terminal state, else 0.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsWorkflow,
	Reads:    ReadsNothing,
	About:    WorkflowPart,
})

type workflowComplete struct{}

func (*workflowComplete) Eval(_ context.Context, s *Subject) (Finding, error) {
	w := s.Workflow
	if w == nil {
		return Finding{}, errNoWorkflow
	}
	f := Finding{Explanation: "the workflow is not complete; " + w.current(), Details: Details{
		"current_state": w.Current, "complete": w.Complete,
	}}
	if w.Complete {
		f.Score, f.Explanation = 1, "the workflow is complete"
		if w.Current != "" {
			f.Explanation += " in state " + say.Named(w.Current)
		}
	}
	return f, nil
}
