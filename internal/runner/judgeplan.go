package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// ReportJudges reports the judges of chosen scenarios' checks that are not to be had. It opens none, and a judge that a
// command line may still name is only missed.
func ReportJudges(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	b := newBench(p, d)
	b.missing = d.Warnf
	b.seat(chosen)
}

// judges opens the judges that the chosen scenarios of a project ask.
func (m *matrix) judges(p *project, chosen []*scenario.Scenario) {
	b := newBench(p.Project, m.diags)
	b.def, b.open = m.opts.Judge, func(spec *scenario.Provider) *judges.Endpoint { return m.judge(p.Project, spec) }
	for _, q := range m.adHoc {
		b.models[q.ID] = q
	}
	b.seat(chosen)
	if len(b.seats) > 0 {
		p.judges = judges.New(b.seats, m.memory)
	}
	p.prompts, p.asked = &b.prompts, b.asked
}

// judge opens a model that judges, once per plan. It shares the client, and so the limits, of the same model in the
// matrix. What waits for its turn waits outside of the client, whose time limits are for answers.
func (m *matrix) judge(p *scenario.Project, spec *scenario.Provider) *judges.Endpoint {
	key := endpointKey{p, spec}
	if e, open := m.judging[key]; open {
		return e
	}
	var judge *judges.Endpoint
	if e := m.endpoint(p, spec); e != nil {
		judge = judges.NewEndpoint(providers.Limit(e.Client, max(m.opts.Jobs, JudgesAtOnce)), spec, e.Simulated)
		judge.Source = sourceOf(e)
	}
	m.judging[key] = judge
	return judge
}

// JudgesAtOnce is how many questions a judge is asked at once, or as many as trials run at once if those are more.
const JudgesAtOnce = 4

// checkJudge reports and forgets a --judge that none of the projects knows.
func (m *matrix) checkJudge(suite *scenario.Suite) {
	if m.opts.Judge == "" {
		return
	}
	var known []string
	for _, p := range suite.Projects {
		b := newBench(p, m.diags)
		if b.named(m.opts.Judge) != nil || b.provider(m.opts.Judge, "") != nil {
			return
		}
		known = append(known, judgeNames(p)...)
		for _, q := range p.Providers {
			known = append(known, names(&q.Meta)...)
		}
	}
	slices.Sort(known)
	m.diags.Errorf(diag.Pos{}, 0, "unknown-judge", "--judge %s: there is no judge and no provider of that name",
		m.opts.Judge).Hint = hintKnown(m.opts.Judge, slices.Compact(known)) +
		"; for a model on the spot write type/model, such as openai/gpt-4o-mini"
	m.opts.Judge = ""
}
