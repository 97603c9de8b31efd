package scenario

import (
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// templates warns of templates that cannot be filled, as far as that can be known before the run. At run time it is
// an error of the trial, because the command line may still change what is known.
func (b *build) templates() {
	type key struct {
		prompt *Prompt
		plain  bool
	}
	done := map[key]bool{} // scenarios without variables of their own all fare the same
	for _, s := range b.p.Scenarios {
		prompt, err := b.p.Prompt(s)
		if err != nil {
			b.promptChoice(s, err)
			continue
		}
		k := key{prompt, len(s.Variables) == 0 && s.Context == ContextMetadata{}}
		if k.plain && done[k] && !templated(s) {
			continue
		}
		done[k] = k.plain || done[k]
		b.fill(s, prompt)
	}
}

// promptChoice reports a scenario that leaves open which prompt it speaks to; an unknown one is reported with the
// other names.
func (b *build) promptChoice(s *Scenario, err error) {
	if s.TaskType == "" && len(b.p.Prompts) > 1 && b.arena.workflow == nil {
		b.l.diags.Errorf(s.Pos, len([]rune(s.ID)), "no-prompt", "scenario %q: %v", s.ID, err).Hint = "add task_type"
	}
}

func templated(s *Scenario) bool {
	for i := range s.Turns {
		if strings.Contains(s.Turns[i].Content, "{{") {
			return true
		}
	}
	return false
}

func (b *build) fill(s *Scenario, prompt *Prompt) {
	vars, err := Variables(b.p, prompt, s, "default")
	if err != nil {
		at, width := s.TaskTypePos, len([]rune(s.TaskType))
		if at.Line == 0 {
			at, width = s.Pos, len([]rune(s.ID))
		}
		b.l.diags.Warnf(at, width, "missing-variable", "%v", err).
			Hint = "set it under variables, or under vars of the config; without it the trial ends in an error"
		return
	}
	if prompt != nil {
		if _, err := SystemPrompt(prompt, "", vars); err != nil {
			b.l.diags.Warnf(prompt.TemplatePos, 1, "open-placeholder", "%v", err).
				Hint = "declare it under variables; without it the trial ends in an error"
		}
	}
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Literal {
			continue
		}
		if _, open := Render(t.Content, vars); len(open) > 0 {
			b.l.diags.Warnf(t.Pos, 1, "open-placeholder", "nothing is known for {{%s}}; the user would say it as it stands",
				strings.Join(open, "}}, {{")).Hint = diag.DidYouMean(open[0], keys(vars))
		}
	}
}

func keys(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	return names
}
