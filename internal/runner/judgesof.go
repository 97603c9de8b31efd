package runner

import (
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/scenario"
)

// JudgesOf finds and opens the judges of a check that belongs to no scenario. It returns a nil pool for a check without
// judges, and after problems, which it adds to d.
func JudgesOf(
	p *scenario.Project, c *checks.Compiled, opts PlanOptions, d *diag.List,
) (*judges.Pool, *grading.Prompts) {
	m := &matrix{
		opts: opts, diags: d, endpoints: map[endpointKey]*Endpoint{}, judgeEndpoints: map[endpointKey]*judges.Endpoint{},
		memory: judges.NewMemory(judges.MemoryLimit),
	}
	m.checkJudge(&scenario.Suite{Projects: []*scenario.Project{p}})
	if d.Errors() > 0 {
		return nil, nil
	}
	b := inventory.NewJudgeFinder(p, d)
	b.Fallback, b.Open = m.opts.Judge, func(spec *scenario.Provider) *judges.Endpoint { return m.judge(p, spec) }
	b.Find(c)
	if d.Errors() > 0 || len(b.Judges) == 0 {
		return nil, &b.Prompts
	}
	return judges.New(b.Judges, m.memory), &b.Prompts
}
