package runner

import (
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/scenario"
)

// JudgesOf finds and opens the judges of a check that stands in no scenario, as Make does for those that do. What is
// wrong goes to d; the pool is nil then, and for a check that asks nobody.
func JudgesOf(
	p *scenario.Project, c *checks.Compiled, opts PlanOptions, d *diag.List,
) (*judges.Pool, *checks.JudgePrompts) {
	m := &matrix{
		opts: opts, diags: d, endpoints: map[endpointKey]*Endpoint{}, judging: map[endpointKey]*judges.Endpoint{},
		memory: judges.NewMemory(judges.MemoryLimit),
	}
	m.checkJudge(&scenario.Suite{Projects: []*scenario.Project{p}})
	if d.Errors() > 0 {
		return nil, nil
	}
	b := newBench(p, d)
	b.def, b.open = m.opts.Judge, func(spec *scenario.Provider) *judges.Endpoint { return m.judge(p, spec) }
	for _, need := range c.JudgeUses() {
		b.one(c, &need)
		b.prompt(c, &need)
	}
	if d.Errors() > 0 || len(b.seats) == 0 {
		return nil, &b.prompts
	}
	return judges.New(b.seats, m.memory), &b.prompts
}
