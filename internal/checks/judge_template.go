package checks

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// JudgePrompts are the prompts of a project that can take the place of what arena tells a judge.
type JudgePrompts struct {
	Texts map[string]string // by id, with {{criteria}} and the like still in them
	// Default is the id of the one that llm_judge and its kind take when they name none; "" is none.
	Default string
}

// systemText is what the judge is told to be.
func (g *grader) systemText(s *Subject) (string, error) {
	id := g.need.Prompt
	if id == "" && g.need.DefaultPrompt && s.JudgePrompts != nil {
		id = s.JudgePrompts.Default
	}
	if id == "" {
		return g.fill(g.system), nil
	}
	if s.JudgePrompts == nil {
		return "", fmt.Errorf("there is no project with the prompt %q", id)
	}
	text, ok := s.JudgePrompts.Texts[id]
	if !ok {
		return "", fmt.Errorf("the project has no prompt %q", id)
	}
	if err := JudgeTemplate(text); err != nil {
		return "", fmt.Errorf("prompt %s: %w", id, err)
	}
	return g.fill(text), nil
}

// JudgeTemplate says why a text cannot be what a judge is told; nil when it can. It may hold {{criteria}}, {{rubric}},
// {{response}}, {{conversation}} and {{tool_calls}}.
func JudgeTemplate(text string) error {
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("it is empty")
	}
	for _, found := range judgeVariables().FindAllStringSubmatch(text, -1) {
		switch found[1] {
		case "criteria", "rubric", "response", "conversation", "tool_calls":
		default:
			return fmt.Errorf("nothing fills the variable {{%s}} for a judge; "+
				"known are criteria, rubric, response, conversation and tool_calls", found[1])
		}
	}
	return nil
}

// fill writes the author's own texts into a template. What is judged stays out of it: it belongs between its markers in
// the user's message, and the template only points there.
func (g *grader) fill(text string) string {
	return judgeVariables().ReplaceAllStringFunc(text, func(found string) string {
		switch judgeVariables().FindStringSubmatch(found)[1] {
		case "criteria":
			return g.criteria
		case "rubric":
			return g.rubric
		case "response", "conversation", "tool_calls":
			return "(in the material, in the next message)"
		}
		return found
	})
}

var judgeVariables = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{\{\s*\.?(\w+)\s*\}\}`)
})
