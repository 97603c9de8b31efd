package names

import (
	"slices"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools/own"
)

// reportSteps reports tool steps that cannot work: the schema of the tool refuses the arguments, or the result depends
// on which of several steps is first.
func (u *toolUses) reportSteps(chosen []*scenario.Scenario) {
	seen := map[*composition.Step]bool{}
	for _, s := range chosen {
		for _, c := range u.p.CompositionsFor(s) {
			for step := range c.All() {
				open := slices.ContainsFunc(step.Words(), func(w composition.Word) bool { return scenario.Templated(w.Text) })
				if step.Kind == composition.Tool && (open || !seen[step]) {
					seen[step] = true
					u.checkStep(c, step, u.p.StepValues(step, nil, s, scenario.DefaultRegion))
				}
			}
		}
	}
}

func (u *toolUses) checkStep(c *scenario.Composition, step *composition.Step, values *scenario.Values) {
	args, unfilled := composition.FillWords(step.Args, values.UserText) // placeholders without a value are reported
	report := func(code, format string, args ...any) *diag.Diagnostic {
		return u.diags.Errorf(c.At(step), utf8.RuneCountInString(step.ID), code, "step "+step.ID+": "+format, args...)
	}
	switch {
	case c.Within(step) && own.ChangesConversation(step.Tool):
		report("bad-parallel", "%s changes what the whole conversation has: other steps run at the same time", step.Tool).
			Hint = "put it before the parallel step, or after it"
	case unfilled == nil:
		filled, _ := args.(map[string]any)
		for _, problem := range u.argumentProblems(c, step.Tool, filled) {
			report(problem.code, "%s", problem.text).Hint = problem.hint
		}
	}
}
