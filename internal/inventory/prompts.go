package inventory

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/scenario"
)

// PossiblePrompts returns the prompts that the conversations of a scenario may have; nil stands for none. Recorded
// conversations may have any, unless the files say which.
func PossiblePrompts(p *scenario.Project, s *scenario.Scenario) ([]*scenario.Prompt, error) {
	if PromptUndecided(p, s) || s.Recorded != nil && p.HasWorkflow() { // which go from prompt to prompt
		return append([]*scenario.Prompt{nil}, p.Prompts...), nil
	}
	return p.PromptsFor(s)
}

// ChosenPrompts yields the prompts that the conversations of chosen scenarios may have; nil stands for none. It leaves
// out skipped scenarios, and those whose prompt has an error, which the planner reports.
func ChosenPrompts(p *scenario.Project, chosen []*scenario.Scenario) iter.Seq[*scenario.Prompt] {
	return func(yield func(*scenario.Prompt) bool) {
		for _, s := range chosen {
			prompts, err := PossiblePrompts(p, s)
			if err != nil || s.Skip != "" {
				continue
			}
			for _, prompt := range prompts {
				if !yield(prompt) {
					return
				}
			}
		}
	}
}

// ModelPrompts yields the prompts that models may be given in a run of chosen scenarios: no prompts of recorded
// conversations.
func ModelPrompts(p *scenario.Project, chosen []*scenario.Scenario) iter.Seq[*scenario.Prompt] {
	driven := slices.DeleteFunc(slices.Clone(chosen), func(s *scenario.Scenario) bool { return s.Recorded != nil })
	return func(yield func(*scenario.Prompt) bool) {
		for prompt := range ChosenPrompts(p, driven) {
			if prompt != nil && !yield(prompt) {
				return
			}
		}
	}
}

// PromptUndecided reports whether only the recording can tell which of several prompts a conversation has.
func PromptUndecided(p *scenario.Project, s *scenario.Scenario) bool {
	return s.Recorded != nil && s.TaskType == "" && len(p.Prompts) > 1
}

// promptEvals counts the enabled evals that run only under some prompts, and returns these prompts.
func promptEvals(p *scenario.Project) (n int, tasks []string) {
	of := func(prompt *scenario.Prompt) []*scenario.Eval {
		return slices.DeleteFunc(slices.Clone(p.EvalsFor(prompt)), func(e *scenario.Eval) bool { return !e.Enabled })
	}
	always := of(nil)
	for _, prompt := range p.Prompts {
		before := n
		for _, e := range of(prompt) {
			if !slices.Contains(always, e) {
				n++
			}
		}
		if n > before {
			tasks = append(tasks, prompt.TaskType)
		}
	}
	slices.Sort(tasks)
	return n, tasks
}

// LostWithoutPrompt says which evals would not run if the prompt of a conversation is not known; "" when all would.
func LostWithoutPrompt(p *scenario.Project) string {
	n, tasks := promptEvals(p)
	if len(p.Prompts) < 2 || n == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s would not run", plural.Count(n, "eval"), namedPrompts(tasks))
}

func namedPrompts(tasks []string) string {
	what := "the prompts "
	if len(tasks) == 1 {
		what = "the prompt "
	}
	return what + strings.Join(tasks, ", ")
}

// PromptsOf returns the prompts of scenarios that are not skipped, each once.
func PromptsOf(p *scenario.Project, chosen []*scenario.Scenario) []*scenario.Prompt {
	var list []*scenario.Prompt
	seen := map[*scenario.Prompt]bool{nil: true}
	for _, s := range chosen {
		prompts, err := p.PromptsFor(s)
		if err != nil || s.Skip != "" { // matrix.prompt reports the error
			continue
		}
		for _, prompt := range prompts {
			if !seen[prompt] {
				seen[prompt] = true
				list = append(list, prompt)
			}
		}
	}
	return list
}
