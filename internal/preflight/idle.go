package preflight

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// Idle warns of a scenario that cannot fail; with strict that is an error.
func Idle(p *scenario.Project, s *scenario.Scenario, strict bool, d *diag.List) {
	n := len(p.Globals) + len(s.Conversation)
	for i := range s.Turns {
		n += len(s.Turns[i].Assertions)
	}
	if n > 0 || s.Skip != "" || inventory.HasGate(p, s) || s.Recorded != nil && inventory.HasMeasures(p, s) {
		return
	}
	report := d.Warnf
	if strict {
		report = d.Errorf
	}
	what, hint := "scenario", "add assertions to a turn, or conversation_assertions"
	if s.Recorded != nil {
		what, hint = "eval", "add assertions or conversation_assertions"
	}
	if s.Agent != nil {
		hint = "add checks: [{type: output_contains, params: {value: …}}], or criteria for a judge"
	}
	report(s.Pos, 1, "no-assertions", "%s %q asserts nothing: it passes whatever the agent says", what, s.ID).Hint = hint
}
