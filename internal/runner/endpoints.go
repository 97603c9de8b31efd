package runner

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

const (
	defaultRunTimeout = 5 * time.Minute
)

// Opener opens the client of a provider. simulated is true for a client that makes no calls to a server.
type Opener func(p *scenario.Project, spec *scenario.Provider) (client providers.Provider, simulated bool, err error)

// selectProviders returns the providers of a scenario: those it lists, else those of its group that have the
// capabilities it requires. The command line selects among them. A provider that only the command line names runs every
// scenario.
func (m *matrix) selectProviders(p *scenario.Project, s *scenario.Scenario) []*scenario.Provider {
	m.askedProviders = true
	var out []*scenario.Provider
	for _, q := range m.candidates(p, s) {
		if m.providers.Keeps(selection.IDAndAlias(&q.Meta)...) {
			out = append(out, q)
		}
	}
	return append(out, m.adHocOf(p)...)
}

// adHocOf are the providers that only the command line names, with prices of the config of a project.
func (m *matrix) adHocOf(p *scenario.Project) []*scenario.Provider {
	if len(p.Prices) == 0 || len(m.adHoc) == 0 {
		return m.adHoc
	}
	if m.adHocPriced[p] == nil {
		own := make([]*scenario.Provider, len(m.adHoc))
		for i, q := range m.adHoc {
			own[i] = q
			if !slices.Contains(m.opts.Agents, q) { // a Go program sets the price of its own agents
				priced := *q
				p.Priced(&priced)
				own[i] = &priced
			}
		}
		if m.adHocPriced == nil {
			m.adHocPriced = map[*scenario.Project][]*scenario.Provider{}
		}
		m.adHocPriced[p] = own
	}
	return m.adHocPriced[p]
}

func (m *matrix) candidates(p *scenario.Project, s *scenario.Scenario) []*scenario.Provider {
	if s.Agent != nil {
		return []*scenario.Provider{s.Agent}
	}
	models := slices.DeleteFunc(slices.Clone(p.Providers), func(q *scenario.Provider) bool {
		return q.Role != "" && q.Role != "llm" && q.Role != "image" || judgesOnly(p, s, q)
	})
	if len(m.adHoc) > 0 && len(models) == 0 {
		return nil
	}
	if len(s.Providers) > 0 {
		return slices.DeleteFunc(models, func(q *scenario.Provider) bool {
			return !slices.ContainsFunc(s.Providers, q.Is)
		})
	}
	if len(models) == 0 {
		return m.implicitMock(p, s)
	}
	group := cmp.Or(s.Group, scenario.DefaultGroup)
	inGroup := slices.DeleteFunc(slices.Clone(models), func(q *scenario.Provider) bool {
		return cmp.Or(q.Group, scenario.DefaultGroup) != group
	})
	inGroup = m.withoutJudges(p, inGroup)
	if len(inGroup) == 0 && m.opts.Lenient { // in other tools, an empty group means all providers
		m.diags.Warnf(cmp.Or(s.GroupPos(), s.Pos), 1, "empty-group",
			"scenario %q: no provider is in group %q; all of them are used", s.ID, group)
		inGroup = models
	}
	if len(inGroup) == 0 && len(m.adHoc) == 0 {
		m.emptyGroup(p, s, models)
		return nil
	}
	able := slices.DeleteFunc(slices.Clone(inGroup), func(q *scenario.Provider) bool {
		return !hasCapabilities(q, s.Capabilities)
	})
	if len(able) == 0 && len(inGroup) > 0 && len(m.adHoc) == 0 {
		m.diags.Errorf(s.Pos, 1, "no-capable-provider", "scenario %q: no provider of group %q declares the capabilities %s",
			s.ID, group, strings.Join(s.Capabilities, ", ")).Hint = "list them under capabilities of a provider that has them"
	}
	return able
}

// emptyGroup reports a group without providers, once. A group that only providers use may be a misspelling of it.
func (m *matrix) emptyGroup(p *scenario.Project, s *scenario.Scenario, models []*scenario.Provider) {
	group := cmp.Or(s.Group, scenario.DefaultGroup)
	if !m.first("empty group " + group + " of " + p.File) {
		return
	}
	who, same := fmt.Sprintf("scenario %q", s.ID), 0
	for _, other := range p.Scenarios {
		if other != s && len(other.Providers) == 0 && other.Agent == nil &&
			cmp.Or(other.Group, scenario.DefaultGroup) == group {
			same++
		}
	}
	if same > 0 {
		who += fmt.Sprintf(" and %s", plural.Count(same, "other"))
	}
	problem := m.diags.Errorf(cmp.Or(s.GroupPos(), s.Pos), 1, "empty-group", "%s: no provider is in group %q", who, group)
	problem.Hint = hintGroup(s.Group, groups(models))
	near := diag.Nearest(group, groups(models))
	if at := slices.IndexFunc(models, func(q *scenario.Provider) bool { return q.Group == near }); s.Group == "" &&
		near != "" {
		q := models[at]
		problem.Hint = fmt.Sprintf("the provider %q is in the group %q (%s): where no other is meant, leave group out",
			q.ID, near, cmp.Or(q.GroupPos, q.Pos))
	}
}

// judgesOnly reports whether a provider only serves judges: a judge uses it, and it belongs neither to the group nor to
// the providers of the scenario.
func judgesOnly(p *scenario.Project, s *scenario.Scenario, q *scenario.Provider) bool {
	group := cmp.Or(q.Group, scenario.DefaultGroup)
	return group != scenario.DefaultGroup && group != s.Group && !slices.ContainsFunc(s.Providers, q.Is) &&
		slices.ContainsFunc(p.Judges, func(j scenario.Judge) bool { return q.Is(j.Provider) })
}

// withoutJudges leaves out the providers that a judge uses and that are in no group, as long as others remain: a model
// that is declared for a judge is rarely to be tested. Providers that the command line names stay.
func (m *matrix) withoutJudges(p *scenario.Project, models []*scenario.Provider) []*scenario.Provider {
	judge := func(q *scenario.Provider) int {
		if q.Grouped || slices.ContainsFunc(m.providers.Words, q.Is) {
			return -1
		}
		return slices.IndexFunc(p.Judges, func(j scenario.Judge) bool { return q.Is(j.Provider) })
	}
	agents := slices.DeleteFunc(slices.Clone(models), func(q *scenario.Provider) bool { return judge(q) >= 0 })
	if len(agents) == 0 {
		return models
	}
	for _, q := range models {
		if j := judge(q); j >= 0 {
			m.note("provider %q is not tested, because judge %q uses it; to test it too, write group: default beside its file",
				q.ID, p.Judges[j].Name)
		}
	}
	return agents
}

// note adds a note for the user who runs the plan, once.
func (m *matrix) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(m.notes, text) {
		m.notes = append(m.notes, text)
	}
}

// hintGroup lists the known groups, and names the key to set when the scenario has none.
func hintGroup(group string, known []string) string {
	if group != "" || len(known) == 0 {
		return diag.HintKnown(cmp.Or(group, scenario.DefaultGroup), known)
	}
	return "it names no group; write provider_group: " + known[0] + " in the scenario; " +
		diag.HintKnown(scenario.DefaultGroup, known)
}

func groups(models []*scenario.Provider) []string {
	var out []string
	for _, q := range models {
		out = append(out, cmp.Or(q.Group, scenario.DefaultGroup))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func hasCapabilities(q *scenario.Provider, required []string) bool {
	for _, c := range required {
		if !slices.Contains(q.Capabilities, c) {
			return false
		}
	}
	return true
}

// implicitMock is the provider of a project that configures none: a mock, for a scenario that scripts its replies.
func (m *matrix) implicitMock(p *scenario.Project, s *scenario.Scenario) []*scenario.Provider {
	scripted := p.Mock != nil || len(s.Turns) > 0 &&
		!slices.ContainsFunc(s.Turns, func(t scenario.Turn) bool { return len(t.Inline()) == 0 })
	if !scripted && !m.opts.MockProvider {
		m.diags.Errorf(s.Pos, 1, "no-provider", "scenario %q has no provider to talk to", s.ID).Hint =
			"configure one under providers, or name one: --provider openai/gpt-4o-mini, --provider ollama/llama3.2, " +
				"--provider mock"
		return nil
	}
	if m.implicitMocks[p] == nil {
		m.implicitMocks[p] = scenario.AdHoc(scenario.MockType)
	}
	return []*scenario.Provider{m.implicitMocks[p]}
}

// endpoint opens a provider once per plan.
func (m *matrix) endpoint(p *scenario.Project, spec *scenario.Provider) *Endpoint {
	key := endpointKey{p, spec}
	if e, open := m.endpoints[key]; open {
		return e
	}
	used := spec
	if m.opts.MockProvider && spec.Type != scenario.MockType {
		masked := *spec
		masked.Type = scenario.MockType
		used = &masked
	}
	if !m.opts.Replayed && !m.opts.Uncalled && !preflight.AgentProgram(used, p.Getenv, m.diags) {
		m.endpoints[key] = nil
		return nil
	}
	client, simulated, err := m.opts.Open(p, used)
	if err != nil {
		m.reportOpen(spec, err)
		m.endpoints[key] = nil
		return nil
	}
	if used.Type == scenario.MockType && client != nil {
		client = &cannedMedia{client, m.attachments(p), m.opts.Lenient}
	}
	e := &Endpoint{Spec: used, Client: client, Simulated: simulated}
	m.endpoints[key] = e
	return e
}

func (m *matrix) reportOpen(spec *scenario.Provider, err error) {
	pos, code := spec.Pos, "bad-provider"
	if bad, ok := errors.AsType[*providers.Misconfigured](err); ok && bad.Pos.Line > 0 {
		m.diags.Errorf(bad.Pos, 1, code, "provider %s: %s", spec.ID, bad.Msg).Hint = bad.Hint
		return
	}
	if bad, ok := errors.AsType[*providers.Unfilled](err); ok {
		for _, unset := range bad.Unset {
			unset.Report("provider "+spec.ID, m.diags)
		}
		return
	}
	if _, ok := errors.AsType[*providers.NotAvailable](err); ok {
		code = diag.NotAvailable
	}
	var e *providers.Error
	if errors.As(err, &e) && e.Kind == providers.Auth && spec.KeyPos.Line > 0 {
		pos = spec.KeyPos
	}
	m.diags.Errorf(pos, 1, code, "provider %s: %s", spec.ID, strings.TrimPrefix(err.Error(), "provider "+spec.ID+": "))
}

// usedProviders returns a function that reports whether the provider at a position is called in the plan, for any
// purpose.
func (m *matrix) usedProviders() func(diag.Pos) bool {
	used := map[diag.Pos]bool{}
	for key := range m.endpoints {
		used[key.spec.Pos] = true
	}
	for _, spec := range m.embedding {
		used[spec.Pos] = true
	}
	return func(provider diag.Pos) bool { return used[provider] }
}

type endpointKey struct {
	project *scenario.Project
	spec    *scenario.Provider
}
