package runner

import (
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// reportSteps reports tool steps that cannot work: the schema of the tool refuses the arguments, or what comes of it
// would depend on which of several steps is first.
func (u *toolUses) reportSteps(chosen []*scenario.Scenario) {
	seen := map[*composition.Step]bool{}
	for _, s := range chosen {
		for _, c := range u.p.CompositionsFor(s) {
			for step := range c.All() {
				if step.Kind == composition.Tool && !seen[step] {
					seen[step] = true
					u.checkStep(c, step)
				}
			}
		}
	}
}

func (u *toolUses) checkStep(c *scenario.Composition, step *composition.Step) {
	report := func(code, format string, args ...any) *diag.Diagnostic {
		return u.diags.Errorf(c.At(step), utf8.RuneCountInString(step.ID), code, "step "+step.ID+": "+format, args...)
	}
	switch {
	case c.Within(step) && changesConversation(step.Tool):
		report("bad-parallel", "%s changes what the whole conversation has: other steps run at the same time", step.Tool).
			Hint = "put it in front of the parallel step, or behind it"
	case u.tools.Has(step.Tool) && !composition.Refers(step.Args):
		if err := u.tools.Takes(step.Tool, step.Args); err != nil {
			report("bad-arguments", "%s does not take these arguments: %v", step.Tool, err)
		}
	}
}
