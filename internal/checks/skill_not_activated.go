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
	About:    SkillPart,
})

type skillNotActivated struct {
	SkillNames []string `param:"skill_names,required" is:"skill" doc:"Skills that must not be activated."`
}

func (c *skillNotActivated) Eval(_ context.Context, s *Subject) (Finding, error) {
	violations := []map[string]any{}
	var texts []string
	for _, a := range activations(s.Calls) {
		if slices.Contains(c.SkillNames, a.skill) {
			violations = append(violations, map[string]any{"skill": a.skill, "turn": a.turn})
			texts = append(texts, a.skill+inTurn(s, a.turn))
		}
	}
	f := Finding{Score: 1, Explanation: "not activated: " + say.Listed(c.SkillNames, ", ")}
	if len(violations) > 0 {
		f.Score, f.Explanation = 0, "activated: "+say.Listed(texts, "; ")
	}
	f.Details = map[string]any{"violations": violations}
	return f, nil
}
