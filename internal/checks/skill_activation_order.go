package checks

import "context"

var skillActivationOrderDef = plain[skillActivationOrder](Def{
	Name:     "skill_activation_order",
	Summary:  "Skills were activated in an order, others may come between; the score is the share of it that was.",
	Scoring:  "Names found in order before the first that is not / names in the sequence; failed ones do not count.",
	Family:   FamilyAgents,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Reads:    ReadsArgs,
	About:    SkillPart,
})

type skillActivationOrder struct {
	Sequence []string `param:"sequence,required" is:"skill" doc:"Names of skills; one named twice must be activated twice."`
}

func (*skillActivationOrder) hides(s *Subject) bool { return s.activatesUnknown() }

func (c *skillActivationOrder) Eval(_ context.Context, s *Subject) (Finding, error) {
	o := inOrder(c.Sequence, skillsOf(activations(s.Calls)))
	return Finding{Score: o.share(), Explanation: o.explain("activated"), Details: o.details("actual_skills")}, nil
}
