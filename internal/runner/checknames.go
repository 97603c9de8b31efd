package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/names"
	"github.com/arena-evals/arena/internal/scenario"
)

// checkNames reports names in checks that do not exist, given the providers that answer in the trials.
func (m *matrix) checkNames(p *project, spans []span) {
	agents := map[*scenario.Scenario][]*scenario.Provider{}
	var planned []*scenario.Scenario
	for i := range spans {
		t := &spans[i].Trial
		if _, met := agents[t.Scenario]; !met {
			planned = append(planned, t.Scenario)
		}
		if t.Recorded == nil && !slices.Contains(agents[t.Scenario], t.Endpoint.Spec) {
			agents[t.Scenario] = append(agents[t.Scenario], t.Endpoint.Spec)
		} else if t.Recorded != nil {
			agents[t.Scenario] = nil
		}
	}
	for _, s := range planned {
		m.tracker.ExpectWords(agents[s])
	}
	n := &names.Checker{
		Project: p.Project, Tools: p.tools.Registry, Lenient: m.opts.Lenient, Diags: m.diags, Tracker: m.tracker,
		Recorded: len(m.opts.Recordings) > 0, Ran: ranOf(spans),
	}
	n.Report(planned, func(s *scenario.Scenario) []*scenario.Provider { return agents[s] })
	p.served, p.arguments = n.Left()
	p.rowNames = n.Rows()
	if len(p.served) > 0 {
		m.tracker.ExpectLists()
	}
}
