package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// noTurn is in the place of the index of a turn for what belongs to none.
const noTurn = -1

// settle compiles the checks with placeholders for every set of values with which the chosen scenarios will be run, so
// that what is wrong with them shows before anything is paid for.
func (m *matrix) settle(p *scenario.Project, scenarios, judged []*scenario.Scenario) {
	if len(p.Open) == 0 {
		return
	}
	for _, o := range p.Open {
		o.Reset()
	}
	for _, s := range scenarios {
		m.settleFor(p, s, m.regions)
	}
	for _, s := range judged {
		m.settleFor(p, s, []string{defaultRegion})
	}
}

func (m *matrix) settleFor(p *scenario.Project, s *scenario.Scenario, regions []string) {
	prompts, err := mayBeUnder(p, s)
	if err != nil || s.Skip != "" || countVariants(s) > maxVariants { // which is reported with the trials
		return
	}
	for _, prompt := range prompts {
		for _, region := range regions {
			m.bind(p, s, prompt, region)
		}
	}
}

// bind makes the checks that have placeholders, as they are under a prompt.
func (m *matrix) bind(p *scenario.Project, s *scenario.Scenario, prompt *scenario.Prompt, region string) {
	vars := scenario.Known(prompt, s, region)
	for _, variant := range variants(s) {
		p.EachOpen(s, prompt, func(o *scenario.Open, turn int) {
			o.Bind(&scenario.Values{Vars: vars, Singles: variant.values(turn)}, " ("+s.ID+")", m.diags)
		})
	}
}

// eachCompiled visits all that a check is compiled to: itself, or with placeholders what it is for each set of values;
// nothing after a problem.
func eachCompiled(c any, visit func(*checks.Compiled)) {
	switch c := c.(type) {
	case *checks.Compiled:
		visit(c)
	case *scenario.Open:
		for _, bound := range c.Bound() {
			eachCompiled(bound, visit)
		}
	}
}

// values are what the placeholders of a trial stand for. They belong to its session.
type values struct {
	trial *Trial
	vars  map[string]string
}

func valuesOf(t *Trial) *values {
	return &values{trial: t, vars: scenario.Known(t.Prompt, t.Scenario, t.Region)}
}

func (v *values) at(turn int) *scenario.Values {
	return &scenario.Values{Vars: v.vars, Singles: v.trial.Variant.values(turn)}
}

// placed is a list of checks as they are for the trial.
func (v *values) placed(list []scenario.Placed, turn int) []scenario.Placed {
	if !slices.ContainsFunc(list, func(c scenario.Placed) bool { return isOpen(c.Compiled) }) {
		return list
	}
	out := slices.Clone(list)
	for i := range out {
		out[i].Compiled = v.bind(out[i].Compiled, turn)
	}
	return out
}

func isOpen(c any) bool {
	_, open := c.(*scenario.Open)
	return open
}

// bind is a check as it is for the trial. The plan has seen that there is one; for the trials of a run that is over, of
// which it did not know everything, it may be one that judges nothing.
func (v *values) bind(c any, turn int) any {
	o, open := c.(*scenario.Open)
	if !open {
		return c
	}
	var problems diag.List
	if bound := o.Bind(v.at(turn), "", &problems); bound != nil {
		return bound
	}
	sample, _ := o.Sample().(*checks.Compiled)
	return sample.Stuck("its placeholders cannot be filled in for this conversation")
}

// boundGuards are guardrails with their checks replaced.
func boundGuards(list []*scenario.Validator, bind func(any) any) []*scenario.Validator {
	out := slices.Clone(list)
	for i, g := range list {
		if isOpen(g.Compiled) {
			bound := *g
			bound.Compiled = bind(g.Compiled)
			out[i] = &bound
		}
	}
	return out
}

// sample is a check as it is for some values or other.
func sample(c any) any {
	if o, open := c.(*scenario.Open); open {
		return o.Sample()
	}
	return c
}
