package checks

import (
	"slices"

	"github.com/arena-evals/arena/internal/skill"
)

// SkillTool is the tool that activates a skill; its argument `name` is the skill.
const SkillTool = skill.ActivateTool

// activation is one activation of a skill.
type activation struct {
	skill string
	turn  int
}

// activations returns the successful activations among the calls, in order.
func activations(calls []Call) []activation {
	var list []activation
	for i := range calls {
		call := &calls[i]
		skill, _ := call.Args["name"].(string)
		if call.Name == SkillTool && !call.Failed() && skill != "" {
			list = append(list, activation{skill, call.Turn})
		}
	}
	return list
}

// activatesUnknown reports whether the name of an activated skill was redacted.
func (s *Subject) activatesUnknown() bool {
	return s.Stored && slices.ContainsFunc(s.Calls, func(c Call) bool { return c.Name == SkillTool && c.argsTakenOut() })
}

func skillsOf(list []activation) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].skill
	}
	return names
}
