package runner

import (
	"cmp"

	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// trials plans one scenario with its providers, regions, repetitions and variants.
func (m *matrix) trials(p *project, s *scenario.Scenario) []span {
	chosen := m.selectProviders(p.Project, s)
	prompt, ok := m.prompt(p.Project, s)
	if !ok {
		return nil
	}
	prompts, _ := p.PromptsFor(s) // matrix.prompt reports the error
	start, _ := p.Start(s)
	refused := s.Skip == "" && m.reportFeatures(p.Needs(s, prompts, nil))
	if !m.countable(s) {
		return nil
	}
	m.reportMedia(p, s)
	players, ok := m.playersOf(p.Project, s)
	if !ok {
		return nil
	}
	summarizer, ok := m.summarizerOf(p.Project, s)
	if !ok {
		return nil
	}
	all := variants(s)
	rule, ok := m.rule(p.Project, s, len(all))
	if !ok || !m.countableTrials(s, rule.repeat, len(all)) {
		return nil
	}
	repeat := rule.repeat
	preflight.Window(p.Project, s, chosen, m.regions[0], m.diags)
	var out []span
	for _, spec := range chosen {
		refusedHere := s.Skip == "" && !m.opts.MockProvider && m.reportFeatures(p.Needs(s, prompts, spec))
		if refused || refusedHere {
			m.unplanned = append(m.unplanned, span{variants: all, count: repeat, Trial: Trial{
				Project: p, Scenario: s, Prompt: prompt, Endpoint: &Endpoint{Spec: spec},
			}})
		}
		if refusedHere {
			continue
		}
		endpoint := m.endpoint(p.Project, spec)
		if endpoint == nil || !m.hasReplySchema(s, prompt, spec) || refused || !m.fits(p, s, prompt, endpoint) {
			continue
		}
		m.warnIgnoredParameters(prompt, spec)
		of := repeat * len(all)
		one := span{variants: all, count: of, Trial: Trial{
			Project: p, Scenario: s, Start: start, Prompt: prompt, Endpoint: endpoint, players: players,
			painters: m.paintersOf(p.Project, s, endpoint), N: 1, Of: of, Variant: all[0], variantCount: len(all),
		}}
		if !endpoint.Spec.IsAgent() { // agents have their own memory
			one.summarizer = summarizer
		}
		out = append(out, m.inRegions(one, rule)...)
	}
	return out
}

// countableTrials refuses more trials than an index can count.
func (m *matrix) countableTrials(s *scenario.Scenario, repeat, variants int) bool {
	if repeat <= maxTrials/variants {
		return true
	}
	m.diags.Errorf(s.Pos, 1, "out-of-range", "scenario %q: %d trials of each variant are more than can be counted",
		s.ID, repeat).Hint = "lower trials"
	return false
}

// fits reports whether a provider takes the parameters, messages and media of a scenario.
func (m *matrix) fits(p *project, s *scenario.Scenario, prompt *scenario.Prompt, endpoint *Endpoint) bool {
	m.reportReplyMedia(p, s, endpoint.Spec)
	return m.takesParameters(p.Project, s, prompt, endpoint) && preflight.Agent(s, endpoint.Spec, m.diags) &&
		m.takesMedia(p, s, endpoint)
}

// inRegions are the trials of a scenario with one provider in each region, one for each row of a dataset.
func (m *matrix) inRegions(of span, rule trialRule) (out []span) {
	for _, region := range m.regions {
		one := of
		one.Region = region
		if s := one.Scenario; s.Dataset != nil {
			one.rows = m.rows(s)
			one.count *= len(one.rows)
		}
		if rule.gate != nil {
			m.gated(&one, rule.gate)
		}
		if one.count > 0 {
			out = append(out, one)
		}
	}
	return out
}

// gated lets the trials of a span end early.
func (m *matrix) gated(one *span, spec *result.GateSpec) {
	one.gate, one.Of = spec, spec.Max // of each trial
	groups := 1
	if s := one.Scenario; s.Dataset != nil {
		if groups = len(one.rows); spec.Rule == result.RuleGate && groups > 0 {
			one.wholeDataset, one.pool, groups = true, one.rows, 1
			one.rows = hashedOrder(s.Dataset, one.rows, *cmp.Or(m.opts.Calls.Seed, one.Project.Defaults.Seed, new(int64)))
		}
	}
	one.count = groups * spec.Slots()
	m.noteFewRows(one)
}

// countable refuses a scenario with an unreasonable number of variants.
func (m *matrix) countable(s *scenario.Scenario) bool {
	if countVariants(s) <= maxVariants {
		return true
	}
	m.diags.Errorf(s.Pos, 1, "out-of-range", "scenario %q: its perturbations make more than %d variants",
		s.ID, maxVariants)
	return false
}

// maxTrials is the largest number of trials in a group. The sum over all groups does not overflow.
const maxTrials = 1_000_000_000_000

// hasReplySchema reports whether there is a schema for a provider that requires one.
func (m *matrix) hasReplySchema(s *scenario.Scenario, prompt *scenario.Prompt, spec *scenario.Provider) bool {
	if spec.ReplyFormat != "json_schema" || replySchema(s, prompt, spec) != nil {
		return true
	}
	m.diags.Errorf(spec.FormatPos, 1, "no-schema",
		"provider %s: response_format json_schema needs a schema, and neither scenario %q nor its prompt has one",
		spec.ID, s.ID).
		Hint = "give the scenario or the prompt an output_schema, or write response_format: {type: json_schema, " +
		"json_schema: {schema: …}}"
	return false
}

// prompt returns the prompt of a scenario by its task type.
func (m *matrix) prompt(p *scenario.Project, s *scenario.Scenario) (*scenario.Prompt, bool) {
	prompt, err := p.Prompt(s)
	if err != nil {
		m.diags.Errorf(cmp.Or(s.TaskTypePos, s.Pos), 1, "unknown-prompt", "scenario %q: %v", s.ID, err)
		return nil, false
	}
	return prompt, true
}
