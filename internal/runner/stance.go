package runner

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/guard"
	"github.com/arena-evals/arena/internal/scenario"
)

// stance is how an agent stands in a conversation: by which prompt it speaks, which tools it is offered, and what
// watches and measures it. The planner makes one for each prompt of a project, which its trials share; a session holds
// a copy with what its own trial decides, and may take another one between two rounds.
type stance struct {
	prompt  *scenario.Prompt // nil: none
	offered []chat.Tool      // sorted by name
	guards  *guard.Set       // nil: none
	evals   evals.Set
	// There are placeholders in them, for the trial to fill in.
	openGuards, openEvals bool

	// Of the trial.
	params scenario.Parameters // of the prompt, for the model
	policy scenario.ToolPolicy
	schema json.RawMessage // that replies are to fit; nil: any
}

// stances makes those of the prompts that scenarios speak to. Guardrails watch conversations that are to be had; evals
// measure those that are judged as well.
func (m *matrix) stances(p *project, scenarios, all []*scenario.Scenario) map[*scenario.Prompt]*stance {
	guards := m.guards(p.Project, scenarios)
	list := map[*scenario.Prompt]*stance{}
	for prompt, set := range evalSets(p.Project, all) {
		st := p.unwatched(prompt)
		st.evals, st.guards = set, guards[prompt]
		st.openEvals = slices.ContainsFunc(set, func(e *evals.Eval) bool { return isOpen(e.Compiled) })
		st.openGuards = st.guards != nil &&
			slices.ContainsFunc(prompt.Validators, func(g *scenario.Validator) bool { return isOpen(g.Compiled) })
		list[prompt] = st
	}
	return list
}

// stance is the shared one of a prompt; nil is no prompt.
func (p *project) stance(prompt *scenario.Prompt) *stance {
	if st := p.stances[prompt]; st != nil {
		return st
	}
	return p.unwatched(prompt)
}

// unwatched is a stance without guardrails and evals.
func (p *project) unwatched(prompt *scenario.Prompt) *stance {
	st := &stance{prompt: prompt}
	if prompt != nil && p.tools != nil {
		st.offered = p.tools.Offered(prompt.AllowedTools)
	}
	return st
}

// stand makes the session take the stance of a prompt.
func (s *session) stand(prompt *scenario.Prompt) {
	t := s.trial
	s.stance = *t.Project.stance(prompt)
	st := &s.stance
	st.policy = policyOf(t.Scenario, prompt)
	st.schema = replySchema(t.Scenario, prompt, t.Endpoint.Spec)
	if prompt != nil {
		st.params = scenario.ModelParameters(prompt, t.Endpoint.Spec.Model)
	}
	st.bind(s.values)
}

// bind fills in the placeholders of guardrails and evals.
func (st *stance) bind(v *values) {
	if st.openGuards {
		// The set was made of the same guardrails before, so that making it again cannot fail.
		st.guards, _ = guard.New(boundGuards(st.prompt.Validators, func(c any) any { return v.bind(c, noTurn) }))
	}
	if !st.openEvals {
		return
	}
	st.evals = slices.Clone(st.evals)
	for i, e := range st.evals {
		if isOpen(e.Compiled) {
			bound := *e
			bound.Check, _ = v.bind(e.Compiled, noTurn).(*checks.Compiled)
			st.evals[i] = &bound
		}
	}
}

// closing tells apart what may close the streams of the trial.
func (s *session) closing() string {
	if !s.stance.openGuards {
		return s.stance.guards.Closing(nil)
	}
	return s.stance.guards.Closing([]any{s.values.vars, s.trial.Variant})
}

// policyOf is the tool policy of the scenario, or the prompt's where the scenario has none.
func policyOf(s *scenario.Scenario, prompt *scenario.Prompt) scenario.ToolPolicy {
	var p scenario.ToolPolicy
	if s.ToolPolicy != nil {
		p = *s.ToolPolicy
	}
	if prompt != nil && prompt.ToolPolicy != nil {
		q := prompt.ToolPolicy
		p.Choice = cmp.Or(p.Choice, q.Choice)
		p.MaxRounds, p.MaxPerTurn = cmp.Or(p.MaxRounds, q.MaxRounds), cmp.Or(p.MaxPerTurn, q.MaxPerTurn)
		p.MaxTotal, p.MaxIdentical = cmp.Or(p.MaxTotal, q.MaxTotal), cmp.Or(p.MaxIdentical, q.MaxIdentical)
		p.MaxCostUSD = cmp.Or(p.MaxCostUSD, q.MaxCostUSD)
		if len(p.Blocklist) == 0 {
			p.Blocklist = q.Blocklist
		}
	}
	p.MaxRounds, p.MaxIdentical = cmp.Or(p.MaxRounds, defaultRounds), cmp.Or(p.MaxIdentical, defaultIdentical)
	p.MaxCostUSD = cmp.Or(p.MaxCostUSD, defaultCostUSD)
	return p
}

// replySchema is what the replies of a trial are to fit: what the scenario says, else the prompt, else the provider.
func replySchema(s *scenario.Scenario, prompt *scenario.Prompt, spec *scenario.Provider) json.RawMessage {
	switch {
	case s.OutputSchema != nil:
		return s.OutputSchema
	case prompt != nil && prompt.OutputSchema != nil:
		return prompt.OutputSchema
	}
	return spec.ReplySchema
}
