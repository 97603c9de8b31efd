package runner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/scenario"
)

// mayBeUnder are the prompts that the conversations of a scenario may be under; nil is none. Recorded conversations of
// which the files do not say it may be under any.
func mayBeUnder(p *scenario.Project, s *scenario.Scenario) ([]*scenario.Prompt, error) {
	if undecided(p, s) {
		return append([]*scenario.Prompt{nil}, p.Prompts...), nil
	}
	prompt, err := p.Prompt(s)
	if err != nil {
		return nil, err
	}
	return []*scenario.Prompt{prompt}, nil
}

// undecided says that only a recording can tell which of several prompts its conversation is under.
func undecided(p *scenario.Project, s *scenario.Scenario) bool {
	return s.Recorded != nil && s.TaskType == "" && len(p.Prompts) > 1
}

// ofPrompts are the evals that run only under a prompt, as far as they are switched on, and the prompts that have them.
func ofPrompts(p *scenario.Project) (n int, tasks []string) {
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

// PromptWanted says what is lost where the prompt of a conversation is not known: the evals that only run under one. ""
// is nothing.
func PromptWanted(p *scenario.Project) string {
	n, tasks := ofPrompts(p)
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

// underPrompts settles the prompt of each recorded conversation by what the recording says of it. Where that leaves out
// evals they are reported, once for every file.
func (m *matrix) underPrompts(p *scenario.Project, s *scenario.Scenario, path string, at diag.Pos, trials []Trial) {
	lost := PromptWanted(p)
	silent, strange := 0, map[string]int{}
	for i := range trials {
		task := trials[i].Recorded.taskType
		if found := slices.IndexFunc(p.Prompts, func(q *scenario.Prompt) bool { return q.TaskType == task }); found >= 0 {
			trials[i].Prompt = p.Prompts[found]
		} else if task == "" {
			silent++
		} else {
			strange[task]++
		}
	}
	if lost == "" {
		return
	}
	if silent > 0 {
		m.noPrompt(s, at, path+": the recording does not say the prompt"+ofHowMany(silent, len(trials)), lost)
	}
	for _, task := range slices.Sorted(maps.Keys(strange)) {
		what := fmt.Sprintf("%s: the recording is of the prompt %q, which is not among those here", path, task)
		m.noPrompt(s, at, what+ofHowMany(strange[task], len(trials)), lost)
	}
}

func (m *matrix) noPrompt(s *scenario.Scenario, at diag.Pos, what, lost string) {
	hint := "set task_type in " + s.File
	if s.Pos.Line == 0 { // nobody wrote it
		hint = "name a file of kind Eval that sets task_type with --assert"
	}
	m.diags.Errorf(at, 1, "no-prompt", "%s: %s", what, lost).Hint = hint + ", or pass --skip-evals"
}

func ofHowMany(n, all int) string {
	if all == 1 {
		return ""
	}
	return fmt.Sprintf(" of %d of its %d conversations", n, all)
}
