package runner

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/scenario"
)

// possiblePrompts returns the prompts that the conversations of a scenario may have; nil stands for none. Recorded
// conversations may have any, unless the files say which.
func possiblePrompts(p *scenario.Project, s *scenario.Scenario) ([]*scenario.Prompt, error) {
	if promptUndecided(p, s) || s.Recorded != nil && p.HasWorkflow() { // which go from prompt to prompt
		return append([]*scenario.Prompt{nil}, p.Prompts...), nil
	}
	return p.PromptsFor(s)
}

// chosenPrompts yields the prompts that the conversations of chosen scenarios may have; nil stands for none. It leaves
// out skipped scenarios, and those whose prompt has an error, which the planner reports.
func chosenPrompts(p *scenario.Project, chosen []*scenario.Scenario) iter.Seq[*scenario.Prompt] {
	return func(yield func(*scenario.Prompt) bool) {
		for _, s := range chosen {
			prompts, err := possiblePrompts(p, s)
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

// modelPrompts yields the prompts that models may be given in a run of chosen scenarios: no prompts of recorded
// conversations.
func modelPrompts(p *scenario.Project, chosen []*scenario.Scenario) iter.Seq[*scenario.Prompt] {
	driven := slices.DeleteFunc(slices.Clone(chosen), func(s *scenario.Scenario) bool { return s.Recorded != nil })
	return func(yield func(*scenario.Prompt) bool) {
		for prompt := range chosenPrompts(p, driven) {
			if prompt != nil && !yield(prompt) {
				return
			}
		}
	}
}

// promptUndecided reports whether only the recording can tell which of several prompts a conversation has.
func promptUndecided(p *scenario.Project, s *scenario.Scenario) bool {
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

// assignPrompts sets the prompt of each recorded conversation by its recording. When evals cannot run because a prompt
// is not known, it reports that once for every file.
func (m *matrix) assignPrompts(p *scenario.Project, s *scenario.Scenario, path string, at diag.Pos, trials []Trial) {
	lost := LostWithoutPrompt(p)
	unnamed, unknown := 0, map[string]int{}
	for i := range trials {
		if trials[i].Recorded.inWorkflow && p.HasWorkflow() { // whose states have the prompts
			continue
		}
		task := trials[i].Recorded.taskType
		if found := slices.IndexFunc(p.Prompts, func(q *scenario.Prompt) bool { return q.TaskType == task }); found >= 0 {
			trials[i].Prompt = p.Prompts[found]
		} else if task == "" {
			unnamed++
		} else {
			unknown[task]++
		}
	}
	if lost == "" {
		return
	}
	if unnamed > 0 {
		m.reportNoPrompt(s, at, path+": the recording does not say the prompt"+countSuffix(unnamed, len(trials)), lost)
	}
	for _, task := range slices.Sorted(maps.Keys(unknown)) {
		what := fmt.Sprintf("%s: the recording is of the prompt %q, which this project does not have", path, task)
		m.reportNoPrompt(s, at, what+countSuffix(unknown[task], len(trials)), lost)
	}
}

// comparePrompts reports recordings that say another prompt of the project than the file that judges them: the evals of
// the one under which the agent spoke would not run.
func (m *matrix) comparePrompts(p *scenario.Project, s *scenario.Scenario, path string, trials []Trial) {
	told := map[string]bool{}
	for i := range trials {
		if task := saidPrompt(p, trials[i].Recorded); !told[task] {
			told[task] = true
			m.comparePrompt(p, s.Recorded, path, task)
		}
	}
}

// saidPrompt is the task type of the prompt with which a recording says that it begins; "" when it does not.
func saidPrompt(p *scenario.Project, r *Recorded) string {
	if r.start == "" || !p.HasWorkflow() {
		return r.taskType
	}
	if state := p.Workflow.Graph.State(r.start); state != nil {
		return state.PromptTask
	}
	return ""
}

// comparePrompt reports an eval over recordings that names another prompt of the project than the conversation does.
func (m *matrix) comparePrompt(p *scenario.Project, e *scenario.RecordingEval, from, task string) {
	known := slices.ContainsFunc(p.Prompts, func(q *scenario.Prompt) bool { return q.TaskType == task })
	if !known || e.TaskType == "" || e.TaskType == task {
		return
	}
	m.diags.Errorf(cmp.Or(e.TaskTypePos, e.Pos), width(e.TaskType), "other-prompt",
		"task_type is %q, but %s says that the prompt was %q", e.TaskType, from, task).
		Hint = "take task_type out: it is for recordings that do not say their prompt"
}

func (m *matrix) reportNoPrompt(s *scenario.Scenario, at diag.Pos, what, lost string) {
	hint := "set task_type in " + s.File
	if s.Pos.Line == 0 { // arena made it
		hint = "name a file of kind Eval that sets task_type with --assert"
	}
	m.diags.Errorf(at, 1, "no-prompt", "%s: %s", what, lost).Hint = hint + ", or pass --skip-evals"
}

func countSuffix(n, all int) string {
	if all == 1 {
		return ""
	}
	return fmt.Sprintf(" of %d of its %d conversations", n, all)
}
