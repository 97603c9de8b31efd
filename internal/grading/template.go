package grading

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Prompts are the prompts of a project that replace arena's own for judges.
type Prompts struct {
	Texts map[string]string // by id, with {{criteria}} and the like still in them
	// Default is the id of the prompt that llm_judge and similar checks use by default; "": none.
	Default string
}

// systemText is the system prompt of the judge.
func (g *Grader) systemText(prompts *Prompts) (string, error) {
	id := g.Need.Prompt
	if id == "" && g.Need.DefaultPrompt && prompts != nil {
		id = prompts.Default
	}
	if id == "" {
		return g.fill(g.System), nil
	}
	if prompts == nil {
		return "", fmt.Errorf("there is no project with the prompt %q", id)
	}
	text, ok := prompts.Texts[id]
	if !ok {
		return "", fmt.Errorf("the project has no prompt %q", id)
	}
	if err := CheckTemplate(text); err != nil {
		return "", fmt.Errorf("prompt %s: %w", id, err)
	}
	return g.fill(text), nil
}

// CheckTemplate returns an error when a text cannot be the prompt of a judge. It may contain {{criteria}}, {{rubric}},
// {{response}}, {{conversation}} and {{tool_calls}}.
func CheckTemplate(text string) error {
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
func (g *Grader) fill(text string) string {
	return judgeVariables().ReplaceAllStringFunc(text, func(found string) string {
		switch judgeVariables().FindStringSubmatch(found)[1] {
		case "criteria":
			return g.Criteria
		case "rubric":
			return g.Rubric
		case "response", "conversation", "tool_calls":
			return "(in the material, in the next message)"
		}
		return found
	})
}

var judgeVariables = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{\{\s*\.?(\w+)\s*\}\}`)
})
