package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

// ReportJudges reports judges that checks of chosen scenarios need and that are not configured. It opens none. A
// missing default judge is only a warning, because the command line can name it.
func ReportJudges(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	b := inventory.NewJudgeFinder(p, d)
	b.Missing = d.Warnf
	b.FindAll(chosen)
}

// judges opens the judges of the chosen scenarios.
func (m *matrix) judges(p *project, chosen []*scenario.Scenario) {
	b := inventory.NewJudgeFinder(p.Project, m.diags)
	b.Fallback, b.Open = m.opts.Judge, func(spec *scenario.Provider) *judges.Endpoint { return m.judge(p.Project, spec) }
	for _, q := range m.adHocOf(p.Project) {
		b.AdHoc[q.ID] = q
	}
	b.FindAll(chosen)
	m.judgeAsked = m.judgeAsked || b.Asked
	if len(b.Judges) > 0 {
		p.judges = judges.New(b.Judges, m.memory)
	}
	p.judgePrompts, p.judgeModels = &b.Prompts, b.Models
}

// judge opens a judging model once per plan. It shares the client, and so the rate limits, of the same model under
// test. Questions queue outside of the client, whose time limits are for answers.
func (m *matrix) judge(p *scenario.Project, spec *scenario.Provider) *judges.Endpoint {
	key := endpointKey{p, spec}
	if e, open := m.judgeEndpoints[key]; open {
		return e
	}
	var judge *judges.Endpoint
	if e := m.endpoint(p, spec); e != nil {
		judge = judges.NewEndpoint(providers.Limit(e.Client, max(m.opts.Jobs, JudgesAtOnce), nil), spec, e.Simulated)
		judge.Source = sourceOf(e)
	}
	m.judgeEndpoints[key] = judge
	return judge
}

// JudgesAtOnce is how many questions a judge is asked concurrently. It is the number of concurrent trials if that is
// more.
const JudgesAtOnce = 4

// checkJudge reports a --judge that no project knows, and drops it.
func (m *matrix) checkJudge(suite *scenario.Suite) {
	if m.opts.Judge == "" {
		return
	}
	var known []string
	for _, p := range suite.Projects {
		b := inventory.NewJudgeFinder(p, m.diags)
		if b.Named(m.opts.Judge) != nil || b.Provider(m.opts.Judge, "") != nil {
			return
		}
		known = append(known, inventory.JudgeNames(p)...)
		for _, q := range p.Providers {
			known = append(known, selection.IDAndAlias(&q.Meta)...)
		}
	}
	slices.Sort(known)
	m.diags.Errorf(diag.Pos{}, 0, "unknown-judge", "--judge %s: there is no judge and no provider of that name",
		m.opts.Judge).Hint = diag.HintKnown(m.opts.Judge, slices.Compact(known)) +
		"; for a model on the spot write type/model, such as openai/gpt-4o-mini"
	m.opts.Judge = ""
}
