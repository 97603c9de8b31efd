package runner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// assignPrompts sets the prompt of each recorded conversation from its recording. It reports once for each file if
// evals cannot run because a prompt is unknown.
func (m *matrix) assignPrompts(p *scenario.Project, s *scenario.Scenario, path string, at diag.Pos, trials []Trial) {
	lost := inventory.LostWithoutPrompt(p)
	unnamed, unknown := 0, map[string]int{}
	for i := range trials {
		if trials[i].Recorded.inWorkflow && p.HasWorkflow() { // its states have the prompts
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

// comparePrompts reports recordings with another prompt of the project than the file that judges them: evals of the
// prompt that was really used would not run.
func (m *matrix) comparePrompts(p *scenario.Project, s *scenario.Scenario, path string, trials []Trial) {
	told := map[string]bool{}
	for i := range trials {
		if task := recordedPrompt(p, trials[i].Recorded); !told[task] {
			told[task] = true
			m.comparePrompt(p, s.Recorded, path, task)
		}
	}
}

// recordedPrompt is the task type of the prompt at the start of a recording; "": not known.
func recordedPrompt(p *scenario.Project, r *Recorded) string {
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
	m.diags.Errorf(cmp.Or(e.TaskTypePos, e.Pos), diag.Width(e.TaskType), "other-prompt",
		"task_type is %q, but %s says that the prompt was %q", e.TaskType, from, task).
		Hint = "take task_type out: it is for recordings that do not say their prompt"
}

func (m *matrix) reportNoPrompt(s *scenario.Scenario, at diag.Pos, what, lost string) {
	hint := "set task_type in " + s.File
	if s.Pos.Line == 0 { // made by arena
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
