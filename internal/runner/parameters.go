package runner

import (
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

// takesParameters refuses parameters for which every call of a scenario would fail, and reports those that are not
// sent. The limits depend on the API. Simulated models take everything.
func (m *matrix) takesParameters(
	p *scenario.Project, s *scenario.Scenario, prompt *scenario.Prompt, e *Endpoint,
) bool {
	spec, kind := e.Spec, scenario.ProviderTypeOf(e.Spec.Type)
	if s.Skip != "" {
		return true
	}
	m.warnUnsent(spec)
	m.warnRecorded(p, spec)
	if e.Simulated {
		return true
	}
	var params scenario.Parameters
	if prompt != nil {
		params = scenario.ModelParameters(prompt, spec.Model)
	}
	ok, seeded := true, false
	for i := range s.Turns {
		turn := &s.Turns[i]
		t := firstSet(m.opts.Calls.Temperature, turn.More().Temperature, p.Defaults.Temperature, params.Temperature,
			spec.Temperature)
		if t != nil && kind.MaxTemperature > 0 && *t > kind.MaxTemperature && ok && !leavesOut(spec, "temperature") &&
			spec.ThinkingBudget == 0 {
			ok = false
			m.diags.Errorf(s.Pos, 1, "out-of-range", "scenario %q: temperature %g is above the limit of provider %s, %g",
				s.ID, *t, spec.ID, kind.MaxTemperature).Hint = "lower it" + m.setAt(p, turn, params.Temperature) +
				", or list temperature under unsupported_params of the provider to leave it out"
		}
		seed := firstSet(m.opts.Calls.Seed, turn.More().Seed, p.Defaults.Seed)
		seeded = seeded || seed != nil
		if seed != nil && kind.SmallSeed && ok && !leavesOut(spec, "seed") {
			ok = m.takesSeed(p, s, spec, *seed)
		}
	}
	limit := firstSet(m.opts.Calls.MaxTokens, p.Defaults.MaxTokens, params.MaxTokens, spec.MaxTokens)
	if budget := spec.Thoughts(); budget > 0 && limit != nil && *limit <= budget {
		ok = false
		m.diags.Errorf(s.Pos, 1, "out-of-range",
			"scenario %q: max_tokens %d must be above the thinking_budget %d of provider %s, which is a part of it", s.ID,
			*limit, budget, spec.ID).Hint = "raise max_tokens, or lower thinking_budget"
	}
	if seeded && (kind.NoSeed || spec.Responses()) && !leavesOut(spec, "seed") {
		m.once(spec, "seed has no effect with provider "+spec.ID+": its API has no such parameter")
	}
	if (params.FrequencyPenalty != nil || params.PresencePenalty != nil) &&
		(kind.NoPenalties || spec.Responses()) {
		m.once(spec, fmt.Sprintf("frequency_penalty and presence_penalty have no effect with provider %s: "+
			"its API has no such parameters", spec.ID))
	}
	return ok
}

// warnUnsent reports parameters on the command line that the provider does not get.
func (m *matrix) warnUnsent(spec *scenario.Provider) {
	for _, c := range []struct {
		flag, name string
		given      bool
	}{
		{"temperature", "temperature", m.opts.Calls.Temperature != nil}, {"seed", "seed", m.opts.Calls.Seed != nil},
		{"max-tokens", "max_tokens", m.opts.Calls.MaxTokens != nil},
	} {
		if c.given && leavesOut(spec, c.name) {
			m.once(spec, fmt.Sprintf("--%s has no effect with provider %s, which lists %s under unsupported_params",
				c.flag, spec.ID, c.name))
		}
	}
}

// warnRecorded reports parameters of the command line that have no effect because recordings answer, and providers
// whose answers would be the same.
func (m *matrix) warnRecorded(p *scenario.Project, spec *scenario.Provider) {
	if spec.Type != scenario.ReplayType || spec.Replay == nil {
		return
	}
	const why = "--%s has no effect with provider %s, which answers from a recording"
	if m.opts.Calls.Temperature != nil {
		m.once(spec, fmt.Sprintf(why, "temperature", spec.ID))
	}
	if m.opts.Calls.MaxTokens != nil {
		m.once(spec, fmt.Sprintf(why, "max-tokens", spec.ID))
	}
	if m.opts.Calls.Seed != nil && len(p.Judges) == 0 && m.opts.Judge == "" { // judges use the seed too
		m.once(spec, fmt.Sprintf(why, "seed", spec.ID))
	}
	for _, other := range p.Providers {
		if other == spec {
			break
		}
		if r := other.Replay; r != nil && r.Session == spec.Replay.Session &&
			slices.Equal(r.Recordings, spec.Replay.Recordings) && m.providers.Keeps(selection.IDAndAlias(&other.Meta)...) {
			m.once(spec, fmt.Sprintf("provider %s answers with the same conversations as provider %s, and so tests nothing more",
				spec.ID, other.ID))
		}
	}
}

// setAt says where the temperature of a turn is set.
func (m *matrix) setAt(p *scenario.Project, turn *scenario.Turn, ofPrompt *float64) string {
	switch {
	case m.opts.Calls.Temperature != nil:
		return " with --temperature"
	case turn.More().Temperature != nil:
		return " in the turn"
	case p.Defaults.Temperature != nil:
		return " under defaults of the config"
	case ofPrompt != nil:
		return " in the prompt"
	}
	return " under defaults of the provider"
}

// once warns about a provider once, for any number of scenarios.
func (m *matrix) once(spec *scenario.Provider, text string) {
	if m.first(text) {
		m.diags.Warnf(spec.Pos, 1, scenario.NoEffect, "%s", text)
	}
}

// leavesOut reports whether a parameter is not sent in any case.
func leavesOut(spec *scenario.Provider, name string) bool {
	return slices.Contains(spec.Unsupported, name)
}

// warnIgnoredParameters warns of parameters of the prompt that the provider does not support.
func (m *matrix) warnIgnoredParameters(prompt *scenario.Prompt, spec *scenario.Provider) {
	if prompt == nil || spec.TakesTopK() {
		return
	}
	if params := scenario.ModelParameters(prompt, spec.Model); params.TopK != nil {
		m.diags.Warnf(params.TopKPos, 1, scenario.NoEffect,
			"top_k has no effect with provider %s: OpenAI's servers do not take it", spec.ID).Hint =
			"write top_p, or give the provider the base_url of a server that takes it"
	}
}

// takesSeed refuses seeds with more than 32 bits, of the first or the last trial.
func (m *matrix) takesSeed(p *scenario.Project, s *scenario.Scenario, spec *scenario.Provider, seed int64) bool {
	more := int64(m.mostNumber(p, s) - 1)
	fits := func(seed int64) bool { return int64(int32(seed)) == seed }
	switch {
	case !fits(seed):
		m.diags.Errorf(s.Pos, 1, "out-of-range",
			"scenario %q: provider %[3]s does not take the seed %[2]d: its seeds have 32 bits", s.ID, seed, spec.ID).
			Hint = "choose one from -2147483648 to 2147483647"
		return false
	case !fits(seed + more):
		m.diags.Errorf(s.Pos, 1, "out-of-range",
			"scenario %q: provider %s does not take the seed %d of trial %d: its seeds have 32 bits", s.ID, spec.ID,
			seed+more, more+1).Hint = fmt.Sprintf("each trial has one more than the one before: choose one from "+
			"-2147483648 to %d", 2147483647-more)
		return false
	}
	return true
}
