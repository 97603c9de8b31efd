package cli

import (
	"slices"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// noteUngated reports flags about gates in a run without any: they have no effect.
func (f *runFlags) noteUngated(app *App, plan *runner.Plan) {
	gates := slices.Concat(plan.Gates(), plan.Recorded())
	gated := func(g result.GatedGroup) bool { return g.Rule == result.RuleGate }
	if f.allowUndecided && !slices.ContainsFunc(gates, gated) {
		app.remark("--allow-undecided has no effect: no scenario has a pass_rate; write trials: {pass_rate: 0.8, max: 50} " +
			"or --pass-rate 0.8")
	}
	if f.stop != "" && len(gates) == 0 {
		app.remark("--stop has no effect: no scenario is run more than once; write trials: 5 or --trials 5")
	}
}
