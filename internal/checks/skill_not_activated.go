package checks

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/say"
)

var skillNotActivatedDef = plain[skillNotActivated](Def{
	Name:     "skill_not_activated",
	Summary:  "None of the named skills was activated; an activation that failed does not count.",
	Scoring:  "1 when none of the skills was activated, else 0.",
	Family:   FamilyAgents,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Reads:    ReadsArgs,
	About:    SkillPart,
	Clean:    Bans,
	Opposite: "to ask for the skills use skill_activated",
})

type skillNotActivated struct {
	SkillNames []string `param:"skill_names,required" is:"skill" doc:"Skills that must not be activated."`
}

func (*skillNotActivated) hides(s *Subject) bool { return s.activatesUnknown() }

func (c *skillNotActivated) Eval(_ context.Context, s *Subject) (Finding, error) {
	var found violationList
	for _, a := range activations(s.Calls) {
		if slices.Contains(c.SkillNames, a.skill) {
			found.add(a.skill+inTurn(s, a.turn), Details{"skill": a.skill, "turn": a.turn})
		}
	}
	return found.finding("not activated: "+say.Listed(c.SkillNames, ", "), "activated: "), nil
}
