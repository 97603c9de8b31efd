package runner

import (
	"cmp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/scenario"
)

// ReportUnsupported reports features that the chosen scenarios need and that this version lacks. It is for a suite with
// other errors, of which no plan is made: its author learns at once that fixing those is not enough. Make reports the
// same for a suite without errors.
func ReportUnsupported(suite *scenario.Suite, opts PlanOptions, d *diag.List) {
	if len(opts.Recordings) > 0 {
		return
	}
	var all diag.List // other problems may be consequences of the errors
	m := newMatrix(opts, &all)
	defer m.close()
	m.sortProviderNames(suite)
	for _, p := range suite.Projects {
		if m.evals.Empty() || !m.scenarios.Empty() {
			m.reportUnsupported(p, m.pick(p))
		}
	}
	for _, problem := range all.Sorted() {
		if problem.Code == diag.NotAvailable {
			d.Add(problem)
		}
	}
}

// reportUnsupported reports the missing features that scenarios need.
func (m *matrix) reportUnsupported(p *scenario.Project, chosen []*scenario.Scenario) {
	for _, s := range chosen {
		if s.Skip != "" {
			continue
		}
		prompts, _ := p.PromptsFor(s) // loading reports a missing one
		m.reportFeatures(p.Needs(s, prompts, nil))
		for _, spec := range m.selectProviders(p, s) {
			if !m.opts.MockProvider && !m.reportFeatures(p.Needs(s, prompts, spec)) {
				m.endpoint(p, spec)
			}
		}
	}
	if !m.opts.Replayed {
		preflight.Outside(p, chosen, chosen, m.diags)
	}
}

// reportFeatures reports each missing feature once for each place. It returns whether there is any.
func (m *matrix) reportFeatures(needs []scenario.Feature) bool {
	for _, f := range needs {
		if m.reportedFeatures[f.Name] == nil {
			m.reportedFeatures[f.Name] = map[diag.Pos]bool{}
		}
		if m.reportedFeatures[f.Name][f.Pos] {
			continue
		}
		m.reportedFeatures[f.Name][f.Pos] = true
		m.diags.Errorf(f.Pos, 1, diag.NotAvailable, "%s: this version of arena does not have that yet", f.Name).Hint =
			cmp.Or(f.Instead, "take it out, or choose scenarios that do not need it with --scenario")
	}
	return len(needs) > 0
}
