package checks

import "context"

var workflowStateIsDef = define[workflowStateIsParams](Def{
	Name:     "workflow_state_is",
	Aliases:  []string{"state_is"},
	Summary:  "The workflow is in a state.",
	Scoring:  "1 when it is the current state, else 0.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsWorkflow,
	About:    WorkflowPart,
})

type workflowStateIsParams struct {
	State string `param:"state,required" is:"state" doc:"Name of the state."`
}

func (p workflowStateIsParams) Build(*binder) Check { return workflowStateIs(p.State) }

type workflowStateIs string

func (c workflowStateIs) Eval(_ context.Context, s *Subject) (Finding, error) {
	return sameState(s.Workflow, string(c))
}
