package runner

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// ReportLater reports what the chosen trials of a suite need and this version cannot do. It is for a suite with errors,
// of which no plan is made: whoever would mend them learns first that it would be in vain. A plan reports it itself.
func ReportLater(suite *scenario.Suite, opts PlanOptions, d *diag.List) {
	if len(opts.Recordings) > 0 {
		return
	}
	var all diag.List // what else is found may only follow from the errors
	m := newMatrix(opts, &all)
	defer m.close()
	m.known(suite)
	for _, p := range suite.Projects {
		if len(m.evals.want) == 0 || len(m.scenarios.want) > 0 {
			m.foresee(p, m.pick(p))
		}
	}
	for _, problem := range all.Sorted() {
		if problem.Code == diag.NotAvailable {
			d.Add(problem)
		}
	}
}

// foresee reports what scenarios need that this version cannot do.
func (m *matrix) foresee(p *scenario.Project, chosen []*scenario.Scenario) {
	for _, s := range chosen {
		if s.Skip != "" {
			continue
		}
		prompt, _ := p.Prompt(s) // that there is none is reported elsewhere
		m.refuse(p.Needs(s, prompt, nil))
		for _, spec := range m.selectProviders(p, s) {
			if !m.opts.MockProvider && !m.refuse(p.Needs(s, prompt, spec)) {
				m.endpoint(p, spec)
			}
		}
	}
	if !m.opts.Replayed {
		ReportOutside(p, chosen, m.diags)
	}
}

// refuse names every feature that a trial needs and that does not exist yet, once each. It reports whether there is
// any.
func (m *matrix) refuse(needs []scenario.Feature) bool {
	for _, f := range needs {
		if m.refused[f.Name] == nil {
			m.refused[f.Name] = map[diag.Pos]bool{}
		}
		if m.refused[f.Name][f.Pos] {
			continue
		}
		m.refused[f.Name][f.Pos] = true
		m.diags.Errorf(f.Pos, 1, diag.NotAvailable, "%s: this version of arena does not have that yet", f.Name).Hint =
			"take it out, or choose scenarios that do not need it with --scenario"
	}
	return len(needs) > 0
}
