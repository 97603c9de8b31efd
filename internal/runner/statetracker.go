package runner

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// awaitedStates are the states for which a check has rules. Where no trial enters any of them, it tests nothing.
type awaitedStates struct {
	check  string
	pos    diag.Pos
	states []string
}

// accessCheck is the check that has rules for states.
const accessCheck = "workflow_tool_access"

// awaitStates adds the states of the rules of a check.
func (h *nameTracker) awaitStates(c *checks.Compiled) {
	known := func(r awaitedStates) bool { return r.pos == c.Pos }
	if c.Def.Name != accessCheck || slices.ContainsFunc(h.stateRules, known) {
		return
	}
	var states []string
	for _, use := range c.Names() {
		if use.Kind == checks.StateName {
			states = append(states, use.Name)
		}
	}
	h.stateRules = append(h.stateRules, awaitedStates{c.Type, c.Pos, states})
}

// observeStates notes the states of a trial.
func (h *nameTracker) observeStates(w *result.Workflow) {
	if w == nil {
		return
	}
	h.statesEntered[w.Start] = true
	for i := range w.Transitions {
		h.statesEntered[w.Transitions[i].To] = true
	}
}

// claimStateRules claims that a trial entered a state of every check with rules for states. Where there was no
// workflow, the check was an error.
func (h *nameTracker) claimStateRules(claim claimer) {
	tried := h.hasTurns && len(h.statesEntered) > 0
	for _, r := range h.stateRules {
		met := slices.ContainsFunc(r.states, func(state string) bool { return h.statesEntered[state] })
		claim("states", r.pos, r.check).settle(met, tried, diag.Diagnostic{
			Severity: diag.Warning, Pos: r.pos, Width: utf8.RuneCountInString(r.check), Code: "never-fired",
			Msg: fmt.Sprintf("%s: no trial came to a state with a rule (%s): the rules were not tested", r.check,
				strings.Join(r.states, ", ")),
		})
	}
}
