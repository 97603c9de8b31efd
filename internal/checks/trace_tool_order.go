package checks

import "context"

var toolOrderDef = plain[toolOrder](Def{
	Name:     "tool_order",
	Summary:  "In the whole conversation tools were called in an order; others may come between.",
	Scoring:  "1 when the whole order was found, else 0; failed calls count.",
	Family:   FamilyTrace,
	Surfaces: OnAssertion | OnEval,
	Scope:    WholeAlways,
	Needs:    NeedsCalls,
	Reads:    ReadsNothing,
})

type toolOrder struct {
	Order nameList `param:"order,required" is:"tool" doc:"Names of tools; one named twice must be called twice."`
}

func (c *toolOrder) Eval(_ context.Context, s *Subject) (Finding, error) {
	o := inOrder(c.Order, namesOf(s.Calls))
	f := Finding{Explanation: o.explain("called"), Details: o.details("actual_tools")}
	if o.complete() {
		f.Score = 1
	}
	return f, nil
}
