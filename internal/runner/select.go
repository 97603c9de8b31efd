package runner

import (
	"cmp"
	"slices"

	"github.com/arena-evals/arena/internal/scenario"
)

// Selection is the filters of the command line. An empty list selects everything. Scenarios, evals and tags may be
// patterns: see filter.
type Selection struct {
	Scenarios []string // without Evals: no evals over recordings run
	Evals     []string // over recordings; without Scenarios: no scenarios run
	Providers []string // configured ids, or type/model for one that is not configured
	Regions   []string
	Tags      []string
	Rows      []string // of datasets: ids, numbers and ranges of these; then scenarios without a dataset are left out
	Sample    int      // up to how many rows of each dataset are run, drawn by the seed of Calls; 0: all
}

// reportMissing reports names in filters that do not exist.
func (m *matrix) reportMissing() {
	m.scenarios.missing(m.diags, "scenario")
	m.evals.missing(m.diags, "eval")
	m.tags.missing(m.diags, "tag")
	m.rowFilter.missing(m.diags)
	// Not all users of a provider are known where planning ended early.
	m.providers.incomplete = m.incomplete || !m.askedProviders && m.diags.Errors() > 0
	m.providers.missing(m.diags, "provider")
}

// idAndAlias returns the names of a resource: its id and, if it has one, its alias.
func idAndAlias(m *scenario.Meta) []string {
	if m.Alias != "" {
		return []string{m.ID, m.Alias}
	}
	return []string{m.ID}
}

// sortProviderNames splits the names given to --provider into configured and ad-hoc ones.
func (m *matrix) sortProviderNames(suite *scenario.Suite) {
	var configured []string
	for _, p := range suite.Projects {
		for _, q := range p.Providers {
			configured = append(configured, idAndAlias(&q.Meta)...)
		}
		for _, s := range p.Scenarios {
			if s.Agent != nil && !slices.Contains(configured, s.Agent.ID) {
				configured = append(configured, s.Agent.ID)
			}
		}
	}
	m.providers.known = configured
	for _, q := range m.opts.Agents {
		m.providers.known = append(m.providers.known, q.ID)
	}
	m.providers.hintSuffix = "; for a model on the spot write type/model, such as openai/gpt-4o-mini"
	for _, name := range m.providers.words {
		if slices.Contains(configured, name) {
			continue
		}
		p := adHoc(name)
		if i := slices.IndexFunc(m.opts.Agents, func(q *scenario.Provider) bool { return q.ID == name }); i >= 0 {
			p = m.opts.Agents[i]
		}
		if p != nil {
			m.adHoc = append(m.adHoc, p)
			m.providers.used[name] = true
		}
	}
}

func (m *matrix) pick(p *scenario.Project) []*scenario.Scenario {
	var out []*scenario.Scenario
	for _, s := range p.Scenarios {
		byName := m.scenarios.keeps(idAndAlias(&s.Meta)...)
		byTag := m.tags.keeps(s.Tags...)
		if byName && byTag && (len(m.rowFilter.words) == 0 || s.Dataset != nil) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *scenario.Scenario) int { return cmp.Compare(a.ID, b.ID) })
	return out
}
