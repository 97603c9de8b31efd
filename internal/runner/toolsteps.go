package runner

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/workflow"
)

// reportSteps reports tool steps that cannot work: the schema of the tool refuses the arguments, or what comes of it
// would depend on which of several steps is first.
func (u *toolUses) reportSteps(chosen []*scenario.Scenario) {
	seen := map[*composition.Step]bool{}
	for _, s := range chosen {
		for _, c := range u.p.CompositionsFor(s) {
			for step := range c.All() {
				open := slices.ContainsFunc(step.Words(), func(w composition.Word) bool { return scenario.Templated(w.Text) })
				if step.Kind == composition.Tool && (open || !seen[step]) {
					seen[step] = true
					u.checkStep(c, step, u.p.StepValues(step, nil, s, defaultRegion))
				}
			}
		}
	}
}

// eventsOf are the events of the states that run a composition, sorted.
func (u *toolUses) eventsOf(c *scenario.Composition) (events []string) {
	for _, state := range u.p.Workflow.States {
		if state.Composition == c.Name {
			events = append(events, state.EventNames()...)
		}
	}
	slices.Sort(events)
	return slices.Compact(events)
}

func (u *toolUses) checkStep(c *scenario.Composition, step *composition.Step, values *scenario.Values) {
	args, unfilled := composition.FillWords(step.Args, values.UserText) // placeholders without a value are reported
	report := func(code, format string, args ...any) *diag.Diagnostic {
		return u.diags.Errorf(c.At(step), utf8.RuneCountInString(step.ID), code, "step "+step.ID+": "+format, args...)
	}
	switch {
	case c.Within(step) && changesConversation(step.Tool):
		report("bad-parallel", "%s changes what the whole conversation has: other steps run at the same time", step.Tool).
			Hint = "put it in front of the parallel step, or behind it"
	case step.Tool == workflow.TransitionTool && !composition.Refers(step.Args) && unfilled == nil:
		filled, _ := args.(map[string]any)
		events := u.eventsOf(c)
		is := func(event string) bool { return filled["event"] == event }
		if len(events) > 0 && !slices.ContainsFunc(events, is) {
			report("unknown-name", "the event must be one of a state that runs the composition %s; it is %s", c.Name,
				jsonvalue.Compact(filled["event"])).Hint = "known: " + strings.Join(events, ", ")
		}
	case u.tools.Has(step.Tool) && !composition.Refers(step.Args) && unfilled == nil:
		filled, _ := args.(map[string]any)
		if err := u.tools.Takes(step.Tool, filled); err != nil {
			report("bad-arguments", "%s does not take these arguments: %v", step.Tool, err)
		}
	}
}
