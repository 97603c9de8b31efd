package checks

import "context"

var workflowStateIsDef = plain[workflowStateIs](Def{
	Name:     "workflow_state_is",
	Aliases:  []string{"state_is"},
	Summary:  "The workflow is in a state.",
	Scoring:  "1 when it is the current state, else 0.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsWorkflow,
	Reads:    ReadsNothing,
	About:    WorkflowPart,
})

type workflowStateIs struct {
	State string `param:"state,required" is:"state" doc:"Name of the state."`
}

func (c *workflowStateIs) Eval(_ context.Context, s *Subject) (Finding, error) {
	return sameState(s.Workflow, c.State)
}
