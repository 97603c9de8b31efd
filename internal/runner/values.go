package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// noTurn is the turn of what belongs to no turn.
const noTurn = -1

// compileOpenChecks compiles checks with placeholders for every set of values that the chosen scenarios have, so that
// errors in them show before anything is paid for.
func (m *matrix) compileOpenChecks(p *scenario.Project, scenarios, judged []*scenario.Scenario) {
	if len(p.Open) == 0 {
		return
	}
	for _, o := range p.Open {
		o.Reset()
	}
	for _, s := range scenarios {
		m.compileOpenChecksOf(p, s, m.regions)
	}
	for _, s := range judged {
		m.compileOpenChecksOf(p, s, []string{scenario.DefaultRegion})
	}
}

func (m *matrix) compileOpenChecksOf(p *scenario.Project, s *scenario.Scenario, regions []string) {
	prompts, err := inventory.PossiblePrompts(p, s)
	if err != nil || s.Skip != "" || countVariants(s) > maxVariants { // matrix.trials reports them
		return
	}
	for _, prompt := range prompts {
		for _, region := range regions {
			m.bind(p, s, prompt, region)
		}
	}
}

// bind compiles the checks with placeholders of a scenario under a prompt.
func (m *matrix) bind(p *scenario.Project, s *scenario.Scenario, prompt *scenario.Prompt, region string) {
	if s.Dataset != nil {
		if !s.Dataset.Sound() {
			return
		}
		all := s.RowSamples(prompt, region)
		p.EachOpen(s, prompt, func(o *scenario.OpenCheck, _ int) { o.BindRows(all, " ("+s.ID+")", m.diags) })
		return
	}
	v := scenario.ValuesOf(prompt, s, region)
	for _, variant := range variants(s) {
		p.EachOpen(s, prompt, func(o *scenario.OpenCheck, turn int) {
			o.Bind(v.With(variant.values(turn)), " ("+s.ID+")", m.diags)
		})
	}
}

// values are the values of a trial's placeholders. They belong to its session.
type values struct {
	trial *Trial
	known *scenario.Values
	rows  map[boundAt]any // checks as they are for the row
}

// boundAt is where a check is asked: perturbations differ from turn to turn.
type boundAt struct {
	check *scenario.OpenCheck
	turn  int
}

func valuesOf(t *Trial) *values { return valuesUnder(t, t.Prompt) }

// valuesUnder are the values of the placeholders in the checks of a prompt.
func valuesUnder(t *Trial, prompt *scenario.Prompt) *values {
	return &values{trial: t, known: scenario.ValuesOf(prompt, t.Scenario, t.Region), rows: map[boundAt]any{}}
}

func (v *values) at(turn int) *scenario.Values {
	return v.known.With(v.trial.Variant.values(turn))
}

// placed returns checks with the placeholders of the trial filled in.
func (v *values) placed(list []scenario.Placed, turn int) []scenario.Placed {
	if !slices.ContainsFunc(list, func(c scenario.Placed) bool { return inventory.IsOpen(c.Compiled) }) {
		return list
	}
	out := slices.Clone(list)
	for i := range out {
		out[i].Compiled = v.bind(out[i].Compiled, turn)
	}
	return out
}

// bind is a check filled in for the trial. The plan has checked that it compiles. For the trials of a finished run, of
// which the plan did not know everything, it may be a check that judges nothing.
func (v *values) bind(c any, turn int) any {
	o, open := c.(*scenario.OpenCheck)
	if !open {
		return c
	}
	var problems diag.List
	if bound := v.bound(o, turn, &problems); bound != nil {
		return bound
	}
	sample, _ := o.Sample().(*checks.Compiled)
	return sample.Unjudgeable("its placeholders cannot be filled in for this conversation")
}

// bound compiles a check for the trial; nil: it cannot be, and why is added to d.
func (v *values) bound(o *scenario.OpenCheck, turn int, d *diag.List) any {
	if v.trial.Scenario.Row == nil {
		return o.Bind(v.at(turn), "", d)
	}
	at := boundAt{o, turn}
	if known := v.rows[at]; known != nil {
		return known
	}
	made := o.BindRow(v.at(turn), d)
	if made != nil {
		v.rows[at] = made
	}
	return made
}

// boundGuards returns guardrails with the placeholders of their checks filled in.
func boundGuards(list []*scenario.Validator, bind func(any) any) []*scenario.Validator {
	out := slices.Clone(list)
	for i, g := range list {
		if inventory.IsOpen(g.Compiled) {
			bound := *g
			bound.Compiled = bind(g.Compiled)
			out[i] = &bound
		}
	}
	return out
}
