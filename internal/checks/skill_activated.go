package checks

import (
	"context"
	"fmt"

	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

var skillActivatedDef = plain[skillActivated](Def{
	Name:     "skill_activated",
	Summary:  "Every named skill was activated with success.",
	Scoring:  "Skills activated at least min_calls times / named skills.",
	Family:   FamilyAgents,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Reads:    ReadsArgs,
	About:    SkillPart,
	Shares:   true,
})

type skillActivated struct {
	SkillNames []string `param:"skill_names,required" is:"skill" all:"to ban each of them use skill_not_activated without the not" doc:"Names of skills, in any order."`
	MinCalls   int      `param:"min_calls" default:"1" min:"1" doc:"Successful activations that each skill needs."`
}

func (*skillActivated) hides(s *Subject) bool { return s.activatesUnknown() }

func (c *skillActivated) Eval(_ context.Context, s *Subject) (Finding, error) {
	counts := map[string]int{}
	for _, a := range activations(s.Calls) {
		counts[a.skill]++
	}
	found, missing := []string{}, []string{}
	var good, bad []string
	for _, skill := range c.SkillNames {
		n := counts[skill]
		text := skill + " was activated " + say.Times(n)
		if n >= c.MinCalls {
			found, good = append(found, skill), append(good, text)
			continue
		}
		if n == 0 {
			text = skill + " was not activated"
		}
		if c.MinCalls > 1 {
			text += fmt.Sprintf(", at least %d needed", c.MinCalls)
		}
		missing, bad = append(missing, skill), append(bad, text)
	}
	f := Finding{Score: textmeasure.Share(len(found), len(c.SkillNames)), Explanation: say.Listed(good, "; ")}
	if len(bad) > 0 {
		f.Explanation = say.Listed(bad, "; ")
	}
	f.Details = Details{"activated": found, "missing_skills": missing, "counts": counts}
	return f, nil
}
