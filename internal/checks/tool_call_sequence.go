package checks

import "context"

var toolCallSequenceDef = plain[toolCallSequence](Def{
	Name:     "tool_call_sequence",
	Summary:  "Tools were called in an order, others may come between; the score is the share of it that was.",
	Scoring:  "Names found in order before the first that is not / names in the sequence; failed calls count.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Reads:    ReadsNothing,
})

type toolCallSequence struct {
	Sequence []string `param:"sequence,required" is:"tool" doc:"Names of tools; one named twice must be called twice."`
}

func (c *toolCallSequence) Eval(_ context.Context, s *Subject) (Finding, error) {
	o := inOrder(c.Sequence, namesOf(s.Calls))
	return Finding{Score: o.share(), Explanation: o.explain("called"), Details: o.details("actual_tools")}, nil
}

// namesOf returns the names of the tools in the order of the calls.
func namesOf(calls []Call) []string {
	names := make([]string, len(calls))
	for i := range calls {
		names[i] = calls[i].Name
	}
	return names
}
