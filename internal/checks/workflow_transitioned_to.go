package checks

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/say"
)

var workflowTransitionedToDef = define[workflowTransitionedToParams](Def{
	Name:     "workflow_transitioned_to",
	Aliases:  []string{"transitioned_to"},
	Summary:  "The workflow has gone to a state, be it only to leave it again; being there from the start is not enough.",
	Scoring:  "1 when a transition goes to the state, else 0.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsWorkflow,
	About:    WorkflowPart,
})

type workflowTransitionedToParams struct {
	State string `param:"state,required" is:"state" doc:"Name of the state."`
}

func (p workflowTransitionedToParams) Build(*binder) Check { return workflowTransitionedTo(p.State) }

type workflowTransitionedTo string

func (c workflowTransitionedTo) Eval(_ context.Context, s *Subject) (Finding, error) {
	if s.Workflow == nil {
		return Finding{}, errNoWorkflow
	}
	states := s.Workflow.targets()
	f := Finding{Details: map[string]any{"expected": string(c), "visited": states}}
	switch {
	case slices.Contains(states, string(c)):
		f.Score, f.Explanation = 1, "went to "+string(c)
	case len(states) == 0:
		f.Explanation = "did not go to " + string(c) + "; there was no transition"
	default:
		f.Explanation = "did not go to " + string(c) + "; went to " + say.Chained(states)
	}
	return f, nil
}
