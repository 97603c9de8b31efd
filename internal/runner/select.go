package runner

import (
	"cmp"
	"slices"

	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

// Selection is the filters of the command line. An empty list selects everything. Scenarios, evals and tags may be
// patterns: see filter.
type Selection struct {
	Scenarios []string // without Evals, no evals over recordings run
	Evals     []string // over recordings; without Scenarios, no scenarios run
	Providers []string // configured ids, or type/model for one that is not configured
	Regions   []string
	Tags      []string
	Rows      []string // of datasets: ids, numbers and ranges; scenarios without a dataset are left out
	Sample    int      // number of rows of each dataset, drawn by the seed of Calls; 0: all
}

// reportMissing reports names in filters that do not exist.
func (m *matrix) reportMissing() {
	m.scenarios.Missing(m.diags, "scenario")
	m.evals.Missing(m.diags, "eval")
	m.tags.Missing(m.diags, "tag")
	m.rowFilter.Missing(m.diags)
	// Not all users of a provider are known where planning ended early.
	m.providers.Incomplete = m.incomplete || !m.askedProviders && m.diags.Errors() > 0
	m.providers.Missing(m.diags, "provider")
}

// sortProviderNames splits the names given to --provider into configured and ad-hoc ones.
func (m *matrix) sortProviderNames(suite *scenario.Suite) {
	var configured []string
	for _, p := range suite.Projects {
		for _, q := range p.Providers {
			configured = append(configured, selection.IDAndAlias(&q.Meta)...)
		}
		for _, s := range p.Scenarios {
			if s.Agent != nil && !slices.Contains(configured, s.Agent.ID) {
				configured = append(configured, s.Agent.ID)
			}
		}
	}
	m.providers.Known = configured
	for _, q := range m.opts.Agents {
		m.providers.Known = append(m.providers.Known, q.ID)
	}
	m.providers.HintMore = "; for a model on the spot write type/model, such as openai/gpt-4o-mini"
	for _, name := range m.providers.Words {
		if slices.Contains(configured, name) {
			continue
		}
		p := scenario.AdHoc(name)
		if i := slices.IndexFunc(m.opts.Agents, func(q *scenario.Provider) bool { return q.ID == name }); i >= 0 {
			p = m.opts.Agents[i]
		}
		if p != nil {
			m.adHoc = append(m.adHoc, p)
			m.providers.Used[name] = true
		}
	}
}

func (m *matrix) pick(p *scenario.Project) []*scenario.Scenario {
	var out []*scenario.Scenario
	for _, s := range p.Scenarios {
		byName := m.scenarios.Keeps(selection.IDAndAlias(&s.Meta)...)
		byTag := m.tags.Keeps(s.Tags...)
		if byName && byTag && (m.rowFilter.Empty() || s.Dataset != nil) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *scenario.Scenario) int { return cmp.Compare(a.ID, b.ID) })
	return out
}
