package checks

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/say"
)

var workflowTransitionedToDef = plain[workflowTransitionedTo](Def{
	Name:     "workflow_transitioned_to",
	Aliases:  []string{"transitioned_to"},
	Summary:  "The workflow has gone to a state, be it only to leave it again; being there from the start is not enough.",
	Scoring:  "1 when a transition goes to the state, else 0.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsWorkflow,
	Reads:    ReadsNothing,
	About:    WorkflowPart,
})

type workflowTransitionedTo struct {
	State string `param:"state,required" is:"state" doc:"Name of the state."`
}

func (c *workflowTransitionedTo) Eval(_ context.Context, s *Subject) (Finding, error) {
	if s.Workflow == nil {
		return Finding{}, errNoWorkflow
	}
	states := s.Workflow.targets()
	f := Finding{Details: Details{"expected": c.State, "visited": states}}
	switch {
	case slices.Contains(states, c.State):
		f.Score, f.Explanation = 1, "went to "+c.State
	case len(states) == 0:
		f.Explanation = "did not go to " + c.State + "; there was no transition"
	default:
		f.Explanation = "did not go to " + c.State + "; went to " + say.Chained(states)
	}
	return f, nil
}
