package preflight

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// IdleGates reports evals that can never run. Where one has a threshold, that would always hold, and it is an
// error.
func IdleGates(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	for _, e := range inventory.UsedEvals(p, chosen) {
		if !inventory.CanFire(p, e) {
			idleGate(d, e, "never fires: the project has no workflow", "choose another trigger than "+e.Trigger)
		}
	}
	reportStepGates(p, chosen, d)
	reportUnusedPrompts(p, chosen, d)
	for prompt := range inventory.ChosenPrompts(p, chosen) {
		for _, e := range evals.Off(p.EvalsFor(prompt)) {
			if e.Gates() {
				idleGate(d, e, "is switched off by enabled: false", "switch it on")
			}
		}
	}
}

// reportStepGates reports thresholds of prompts that speak in steps alone, in evals that fire when something else is
// over than a turn.
func reportStepGates(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	if len(p.Compositions) == 0 {
		return
	}
	speaks := map[*scenario.Prompt]bool{}
	for _, s := range chosen {
		start, _ := p.Start(s) // a wrong one is reported
		if start == nil {
			return // any prompt may speak in a conversation that is over
		}
		for _, state := range p.Workflow.Graph.From(start) {
			speaks[p.PromptOf(state)] = true
		}
	}
	told := map[*scenario.Prompt]bool{}
	for _, s := range chosen {
		for _, c := range p.CompositionsFor(s) {
			for step := range c.All() {
				prompt := p.PromptOfStep(step)
				if prompt == nil || speaks[prompt] || told[prompt] {
					continue
				}
				told[prompt] = true
				for _, e := range evals.New(prompt.Evals) {
					if evals.PhaseOf(e.Trigger) != evals.AfterTurn {
						idleGate(d, e, "never fires: its prompt speaks only in steps of compositions",
							"write trigger: every_turn, which judges the output of each step")
					}
				}
			}
		}
	}
}

func idleGate(d *diag.List, e *evals.Eval, why, way string) {
	if !e.Gates() {
		d.Warnf(e.Pos, 1, neverFires, "eval %q %s, so it measures nothing", e.ID, why).
			Hint = way + ", or take the eval out"
		return
	}
	d.Errorf(e.Pos, 1, neverFires, "eval %q has a threshold and %s", e.ID, why).Hint =
		way + ", or take the threshold out"
}
