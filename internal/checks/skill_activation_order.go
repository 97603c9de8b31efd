package checks

import "context"

var skillActivationOrderDef = define[skillActivationOrderParams](Def{
	Name:     "skill_activation_order",
	Summary:  "Skills were activated in an order, others may come between; the score is the share of it that was.",
	Scoring:  "Names found in order before the first that is not / names in the sequence; failed ones do not count.",
	Family:   FamilyAgents,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	About:    SkillPart,
})

type skillActivationOrderParams struct {
	Sequence []string `param:"sequence,required" is:"skill" doc:"Names of skills; one named twice must be activated twice."`
}

func (p skillActivationOrderParams) Build(*binder) Check { return skillActivationOrder(p.Sequence) }

type skillActivationOrder []string

func (c skillActivationOrder) Eval(_ context.Context, s *Subject) (Finding, error) {
	o := inOrder(c, skillsOf(activations(s.Calls)))
	return Finding{Score: o.share(), Explanation: o.tell("activated"), Details: o.details("actual_skills")}, nil
}
