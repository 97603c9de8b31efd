package preflight

import (
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/window"
)

// Window reports what is wrong with the context policy of a scenario for the providers that may answer in it:
// that it has no effect, and that a prompt or a message alone is more than it allows.
func Window(
	p *scenario.Project, s *scenario.Scenario, specs []*scenario.Provider, region string, d *diag.List,
) {
	policy := s.Window
	if policy == nil || s.Skip != "" {
		return
	}
	marks, models := false, 0
	for _, spec := range specs {
		if spec.IsAgent() {
			d.Warnf(policy.Pos, 1, scenario.NoEffect, "context_policy has no effect with provider %s: an agent remembers by "+
				"itself", spec.ID)
			continue
		}
		models++
		marks = marks || spec.Type == "anthropic"
		if !windowFits(p, s, spec, region, d) {
			break // the others would be told the same
		}
	}
	if policy.Breakpoints && !marks && models > 0 {
		d.Warnf(policy.Pos, 1, scenario.NoEffect, "cache_breakpoints has no effect: none of the models is one of "+
			"Anthropic's, and the other servers decide by themselves")
	}
}

// windowFits reports whether the prompts of a scenario, and each message of its user, leave room for a conversation, as
// far as the files tell what they will be.
func windowFits(
	p *scenario.Project, s *scenario.Scenario, spec *scenario.Provider, region string, d *diag.List,
) bool {
	policy, least := s.Window, -1
	prompts, err := p.PromptsFor(s)
	if err != nil { // matrix.prompt reports it
		return true
	}
	for _, prompt := range prompts {
		text, known := leastPrompt(p, s, prompt, spec, region)
		if !known {
			least = 0
			continue
		}
		size := 0
		if text != "" {
			size = window.Estimate(&chat.Message{Role: chat.System, Content: text})
		}
		if least < 0 || size < least {
			least = size
		}
		if policy.Budget-policy.Reserve-size <= 0 {
			d.Errorf(policy.Pos, 1, "context-budget", "scenario %q: the prompt %q has about %s, and %s: no message could be "+
				"sent",
				s.ID, prompt.TaskType, plural.Count(size, "token"), policy.Leaves(0)).Hint = "raise token_budget"
			return false
		}
	}
	for i := range s.Turns {
		turn := &s.Turns[i]
		if turn.Role != string(chat.User) || !turn.Literal && scenario.Templated(turn.Content) || len(turn.Parts) > 0 {
			continue
		}
		size := window.Estimate(&chat.Message{Role: chat.User, Content: turn.Content})
		if room := policy.Budget - policy.Reserve - max(least, 0); size > room {
			d.Errorf(turn.Said, 1, "context-budget", "scenario %q: this message has about %s, and %s", s.ID,
				plural.Count(size, "token"), policy.Leaves(max(least, 0))).Hint =
				fmt.Sprintf("raise token_budget (line %d): the newest message of the user is always sent", policy.Pos.Line)
			return false
		}
	}
	return true
}

// leastPrompt is a system prompt without what only a run puts into it; known is false where that is not even a part of
// it.
func leastPrompt(
	p *scenario.Project, s *scenario.Scenario, prompt *scenario.Prompt, spec *scenario.Provider, region string,
) (text string, known bool) {
	if prompt == nil {
		return "", true
	}
	vars, err := scenario.Variables(prompt, s, region)
	if err != nil {
		return "", false
	}
	if p.Workflow != nil && p.Workflow.Graph != nil {
		vars[scenario.ContextVariable] = ""
		for _, name := range p.Workflow.Graph.ArtifactNames() {
			vars[scenario.ArtifactPrefix+name] = ""
		}
	}
	text, err = scenario.SystemPrompt(prompt, spec.Model, vars, s)
	return text, err == nil
}
