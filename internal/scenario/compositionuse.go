package scenario

import (
	"slices"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/workflow"
)

// compositions checks the compositions of the project as a whole.
func (b *build) compositions() {
	for _, c := range b.p.Compositions {
		b.unusedComposition(c)
		b.policiesOfSteps(c)
		for s := range c.All() {
			b.stepTools(c, s)
			b.stepEnd(c, s)
			b.stepEvals(c, s)
		}
	}
}

// policiesOfSteps warns of limits in a state's prompt that apply only to agent steps, if there are none.
func (b *build) policiesOfSteps(c *Composition) {
	w := b.p.Workflow
	if w == nil || w.Graph == nil {
		return
	}
	for s := range c.All() {
		if s.Kind == composition.Agent {
			return
		}
	}
	for _, state := range w.States {
		prompt := b.p.PromptOf(state)
		if state.Composition != c.Name || prompt == nil || prompt.ToolPolicy == nil || b.speaksItself(prompt) {
			continue
		}
		var idle []string
		if prompt.ToolPolicy.Choice != "" && prompt.ToolPolicy.Choice != "auto" {
			idle = append(idle, "tool_choice")
		}
		if prompt.ToolPolicy.MaxRounds != 0 {
			idle = append(idle, "max_rounds")
		}
		for _, key := range idle {
			b.l.diags.Warnf(w.At(state.Name), utf8.RuneCountInString(state.Name), NoEffect,
				"state %q: the tool_policy.%s of its prompt %q has no effect: the composition %q has no agent step, whose "+
					"model would choose tools", state.Name, key, prompt.TaskType, c.Name).
				Hint = "take it out, or forbid tools with tool_policy.blocklist"
		}
	}
}

// speaksItself reports whether a model uses a prompt: in a state without a composition, or in a step.
func (b *build) speaksItself(prompt *Prompt) bool {
	for _, state := range b.p.Workflow.States {
		if state.Mode != workflow.Composed && b.p.PromptOf(state) == prompt {
			return true
		}
	}
	for _, c := range b.p.Compositions {
		for s := range c.All() {
			if s.Kind == composition.Agent && b.p.PromptOfStep(s) == prompt {
				return true
			}
		}
	}
	return false
}

// unusedComposition warns of a composition that no state runs.
func (b *build) unusedComposition(c *Composition) {
	w := b.p.Workflow
	if w != nil && (w.Graph == nil || slices.ContainsFunc(w.Graph.States(), func(s *workflow.State) bool {
		return s.Composition == c.Name
	})) {
		return
	}
	b.l.diags.Warnf(c.Pos, utf8.RuneCountInString(c.Name), "unused-composition",
		"no state runs the composition %q", c.Name).
		Hint = "write orchestration: composition and composition: " + c.Name + " in a state of the workflow"
}

// stepEvals warns of evals that a step names and that are switched off.
func (b *build) stepEvals(c *Composition, s *composition.Step) {
	for _, e := range b.p.EvalsFor(nil) {
		if !e.Enabled && !e.LeftOut && slices.Contains(s.Evals, e.ID) {
			b.l.diags.Warnf(c.At(s), 1, NoEffect, "the step %q names the eval %q, which is not enabled: it judges nothing", s.ID,
				e.ID).Hint = "take enabled: false out of the eval, or the eval out of the step"
		}
	}
}

// stepTools warns of tools of an agent step that it is not offered, because its prompt does not list them.
func (b *build) stepTools(c *Composition, s *composition.Step) {
	prompt := b.p.PromptOfStep(s)
	if s.Kind != composition.Agent || prompt == nil {
		return
	}
	for _, name := range s.Tools {
		if b.mayBeServed(name) || Offers(prompt.AllowedTools, name) {
			continue
		}
		b.l.diags.Warnf(c.At(s), 1, NoEffect, "the step %q lists the tool %q, which its prompt %q does not allow", s.ID, name,
			s.PromptTask).Hint = "list it under allowed_tools of the prompt too"
	}
}

// stepEnd warns of a tool that should end an agent step but is not offered to it.
func (b *build) stepEnd(c *Composition, s *composition.Step) {
	prompt := b.p.PromptOfStep(s)
	if s.StopTool == "" || prompt == nil {
		return
	}
	bySkill := func(one *skill.Skill) bool { return slices.Contains(one.Tools, s.StopTool) }
	offered := Offers(prompt.AllowedTools, s.StopTool) || b.mayBeServed(s.StopTool) ||
		slices.ContainsFunc(b.skillList, bySkill)
	if offered && (s.Tools == nil || Offers(s.Tools, s.StopTool)) {
		return
	}
	b.l.diags.Warnf(c.At(s), 1, NoEffect,
		"the step %q ends when %s is called, which it is not offered: this never ends it", s.ID, s.StopTool).
		Hint = "list it under tools of the step, and under allowed_tools of its prompt"
}
