package claims

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// expectedStates are the states for which a check has rules. Where no trial enters any of them, it tests nothing.
type expectedStates struct {
	check  string
	pos    diag.Pos
	states []string
}

// accessCheck is the check that has rules for states.
const accessCheck = "workflow_tool_access"

// ExpectStates expects that one of the states is entered for which a check has rules.
func (t *Tracker) ExpectStates(c *checks.Compiled) {
	known := func(r expectedStates) bool { return r.pos == c.Pos }
	if c.Def.Name != accessCheck || slices.ContainsFunc(t.stateRules, known) {
		return
	}
	var states []string
	for _, use := range c.Names() {
		if use.Kind == checks.StateName {
			states = append(states, use.Name)
		}
	}
	t.stateRules = append(t.stateRules, expectedStates{c.Type, c.Pos, states})
}

// observeStates notes the states of a trial.
func (t *Tracker) observeStates(w *result.Workflow) {
	if w == nil {
		return
	}
	t.statesEntered[w.Start] = true
	for i := range w.Transitions {
		t.statesEntered[w.Transitions[i].To] = true
	}
}

// claimStateRules claims that a trial entered a state of every check with rules for states. Where there was no
// workflow, the check was an error.
func (t *Tracker) claimStateRules(claim Maker) {
	tried := t.hasTurns && len(t.statesEntered) > 0
	for _, r := range t.stateRules {
		met := slices.ContainsFunc(r.states, func(state string) bool { return t.statesEntered[state] })
		claim("states", r.pos, r.check).Settle(met, tried, diag.Diagnostic{
			Severity: diag.Warning, Pos: r.pos, Width: utf8.RuneCountInString(r.check), Code: "never-fired",
			Msg: fmt.Sprintf("%s: no trial came to a state with a rule (%s): the rules were not tested", r.check,
				strings.Join(r.states, ", ")),
		})
	}
}
