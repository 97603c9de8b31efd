package runner

import (
	"encoding/json"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/guard"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// stance is how an agent stands in a conversation: its prompt, the tools it is offered, its guardrails and its evals.
// The planner makes one for each prompt, which trials share. A session holds a copy with the values of its own trial,
// and may change it between two rounds.
type stance struct {
	prompt  *scenario.Prompt // nil: none
	prompts []chat.Tool      // what the prompt alone offers, sorted by name
	offered []chat.Tool      // what the model is offered now, sorted by name
	guards  *guard.Set       // nil: none
	evals   evals.Set
	// some of them have placeholders that the trial fills in
	openGuards, openEvals bool

	// The rest is set for each trial.
	params scenario.Parameters // of the prompt, with the overrides for the model
	policy scenario.ToolPolicy
	schema json.RawMessage // of replies; nil: any reply fits
}

// stances returns the stances of the scenarios' prompts. Guardrails apply to scenarios that run; evals also to recorded
// conversations.
func (m *matrix) stances(p *project, scenarios, all []*scenario.Scenario) map[*scenario.Prompt]*stance {
	guards := m.guards(p.Project, scenarios)
	list := map[*scenario.Prompt]*stance{}
	for prompt, set := range inventory.EvalSets(p.Project, all) {
		st := p.bareStance(prompt)
		st.evals, st.guards = set, guards[prompt]
		st.openEvals = slices.ContainsFunc(set, func(e *evals.Eval) bool { return inventory.IsOpen(e.Compiled) })
		st.openGuards = st.guards != nil &&
			slices.ContainsFunc(prompt.Validators, func(g *scenario.Validator) bool { return inventory.IsOpen(g.Compiled) })
		list[prompt] = st
	}
	return list
}

// stance returns the shared stance of a prompt; nil is no prompt.
func (p *project) stance(prompt *scenario.Prompt) *stance {
	if st := p.stances[prompt]; st != nil {
		return st
	}
	return p.bareStance(prompt)
}

// bareStance is a stance without guardrails and evals.
func (p *project) bareStance(prompt *scenario.Prompt) *stance {
	st := &stance{prompt: prompt}
	if prompt != nil && p.tools != nil {
		st.prompts = p.tools.Offered(prompt.AllowedTools)
		st.offered = st.prompts
	}
	return st
}

// takeStance sets the stance of a prompt.
func (s *session) takeStance(prompt *scenario.Prompt) {
	t := s.trial
	s.stance = *t.Project.stance(prompt)
	st := &s.stance
	st.offered = s.offered()
	if st.policy = t.Scenario.PolicyUnder(prompt, nil); s.step != nil {
		st.policy = t.Scenario.PolicyUnder(prompt, t.Project.PromptOf(s.flow.machine.Current()))
	}
	st.schema = replySchema(t.Scenario, prompt, t.Endpoint.Spec)
	if s.step != nil {
		st.schema = s.step.replySchema(prompt)
	}
	if prompt != nil {
		st.params = scenario.ModelParameters(prompt, t.Endpoint.Spec.Model)
	}
	values := s.valuesOf(prompt, st)
	st.bind(values)
	s.preview.guards(s, values)
}

// valuesOf returns the values of placeholders in a prompt's checks for this trial.
func (s *session) valuesOf(prompt *scenario.Prompt, st *stance) *values {
	if prompt != s.trial.Prompt && (st.openGuards || st.openEvals) {
		return valuesUnder(s.trial, prompt)
	}
	return s.values
}

// stanceUnder returns the stance of a prompt with its placeholders filled in, without what is of a single model call.
func (s *session) stanceUnder(prompt *scenario.Prompt) stance {
	st := *s.trial.Project.stance(prompt)
	st.bind(s.valuesOf(prompt, &st))
	return st
}

// offered returns the tools that the session may be offered by its files: those of its prompt, of its state and of its
// skills.
func (s *session) offered() []chat.Tool {
	if s.step != nil {
		return s.stepOffered()
	}
	if s.flow != nil && s.flow.machine != nil {
		return s.withSkills(s.trial.Project.states[s.flow.machine.Current()])
	}
	return s.withSkills(s.stance.prompts)
}

// offerAgain sets what the model is offered from now on, with what sources listed last.
func (s *session) offerAgain() {
	offered := s.offered()
	if allowed, some := s.allowed(); some {
		listed := s.box.Offered(allowed)
		if s.step != nil {
			listed = s.step.narrow(listed)
		}
		offered = append(slices.Clone(offered), listed...)
		sortTools(offered)
	}
	s.stance.offered = offered
}

// allowed are the tools that sources may be asked for. some is false when no tool can be offered.
func (s *session) allowed() (list []string, some bool) {
	switch {
	case s.step != nil && s.step.spec.Kind == composition.Tool:
		return []string{s.step.spec.Tool}, true
	case s.stance.prompt == nil || s.step != nil && s.step.spec.Kind == composition.Prompt:
		return nil, false
	}
	return s.stance.prompt.AllowedTools, true
}

// bind fills in the placeholders of guardrails and evals.
func (st *stance) bind(v *values) {
	if st.openGuards {
		// No error: a set of the same guardrails was made before.
		st.guards, _ = guard.New(boundGuards(st.prompt.Validators, func(c any) any { return v.bind(c, noTurn) }))
	}
	if !st.openEvals {
		return
	}
	st.evals = slices.Clone(st.evals)
	for i, e := range st.evals {
		if inventory.IsOpen(e.Compiled) {
			bound := *e
			bound.Check, _ = v.bind(e.Compiled, noTurn).(*checks.Compiled)
			st.evals[i] = &bound
		}
	}
}

// closing identifies the guardrails that may close the streams of the trial.
func (s *session) closing() string {
	if !s.stance.openGuards {
		return s.stance.guards.Closing(nil)
	}
	return s.stance.guards.Closing([]any{s.values.known.Vars, s.trial.Variant})
}

// replySchema is the JSON schema of replies: the scenario's, else the prompt's, else the provider's.
func replySchema(s *scenario.Scenario, prompt *scenario.Prompt, spec *scenario.Provider) json.RawMessage {
	switch {
	case s.OutputSchema != nil:
		return s.OutputSchema
	case prompt != nil && prompt.OutputSchema != nil:
		return prompt.OutputSchema
	}
	return spec.ReplySchema
}
