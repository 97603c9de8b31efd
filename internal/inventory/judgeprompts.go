package inventory

import (
	"cmp"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/scenario"
)

// judgeVariables are the variables of judge prompts that every check fills in.
var judgeVariables = []string{"criteria", "rubric", "response", "conversation", "tool_calls"}

// findPrompt finds the project's prompt that a check gives its judge.
func (b *JudgeFinder) findPrompt(c *checks.Compiled, need *grading.Need) {
	id := need.Prompt
	if id == "" && need.DefaultPrompt {
		id = b.p.Defaults.JudgePrompt
		b.Prompts.Default = id
	}
	if _, known := b.Prompts.Texts[id]; known || id == "" {
		return
	}
	q := b.PromptOf(id)
	if q == nil {
		if need.Prompt != "" { // loading reports an unknown default
			b.diags.Errorf(need.Pos.Prompt, diag.Width(id), "unknown-prompt", "%s: there is no prompt %q", c.Type, id).
				Hint = diag.HintKnown(id, b.promptIDs())
		}
		return
	}
	text := q.Template(judgeVariables...)
	if err := grading.CheckTemplate(text); err != nil {
		if !b.badPrompts[q] {
			b.badPrompts[q] = true
			at := cmp.Or(q.TemplatePos, q.Pos)
			b.diags.Errorf(at, 1, "bad-judge-prompt", "the prompt %q cannot tell a judge what to do: %v",
				id, err)
		}
		return
	}
	for _, name := range scenario.UsualPlaces(text) {
		hint := "write the words themselves"
		if slices.Contains(judgeVariables, name) {
			hint = "write {{" + name + "}}"
		}
		b.diags.Warnf(cmp.Or(q.TemplatePos, q.Pos), 1, "foreign-template",
			"the prompt %q of judges: {%s} is sent as it stands, braces included", id, name).Hint = hint
	}
	b.Prompts.Texts[id] = text
}

// PromptOf is the prompt with an id, else the one of a task type.
func (b *JudgeFinder) PromptOf(id string) *scenario.Prompt {
	i := slices.IndexFunc(b.p.Prompts, func(q *scenario.Prompt) bool { return q.Is(id) })
	if i < 0 {
		i = slices.IndexFunc(b.p.Prompts, func(q *scenario.Prompt) bool { return q.TaskType == id })
	}
	if i < 0 {
		return nil
	}
	return b.p.Prompts[i]
}

func (b *JudgeFinder) promptIDs() []string {
	out := make([]string, len(b.p.Prompts))
	for i, q := range b.p.Prompts {
		out[i] = q.ID
	}
	return out
}
