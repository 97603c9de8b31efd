package checks

import "context"

var workflowTransitionOrderDef = plain[workflowTransitionOrder](Def{
	Name:     "workflow_transition_order",
	Summary:  "The workflow has gone to states in an order, others may come between; the score is the share of it.",
	Scoring:  "States found in order before the first that is not / states in the sequence; the start is none of them.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsWorkflow,
	Reads:    ReadsNothing,
	About:    WorkflowPart,
})

type workflowTransitionOrder struct {
	Sequence []string `param:"sequence,required" is:"state" doc:"States to go to; one named twice must be gone to twice."`
}

func (c *workflowTransitionOrder) Eval(_ context.Context, s *Subject) (Finding, error) {
	if s.Workflow == nil {
		return Finding{}, errNoWorkflow
	}
	o := inOrder(c.Sequence, s.Workflow.targets())
	return Finding{Score: o.share(), Explanation: o.explain("visited"), Details: o.details("visited")}, nil
}
