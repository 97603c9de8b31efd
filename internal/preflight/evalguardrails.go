package preflight

import (
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// elsewhere are the guardrails for which evals wait, and whether one of the prompts has them with which the evals run.
type elsewhere struct {
	uses []*checks.GuardrailUse // in the order in which they were met
	has  map[diag.Pos]bool      // by the place of the name
}

// reportEvalsElsewhere warns of evals with a threshold that name a guardrail which the project has, and none of the
// prompts with which they run.
func reportEvalsElsewhere(p *scenario.Project, chosen []*scenario.Scenario, names []string, d *diag.List) {
	found := elsewhere{has: map[diag.Pos]bool{}}
	for _, s := range chosen {
		prompts, err := inventory.PossiblePrompts(p, s)
		if err != nil || s.Skip != "" || len(prompts) == 0 {
			continue
		}
		if s.Recorded != nil {
			return // nothing tells which guardrails its agent had
		}
		found.add(inventory.UsedEvals(p, []*scenario.Scenario{s}), guardrailsOf(prompts), names)
	}
	for _, use := range found.uses {
		if !found.has[use.Pos] {
			w := d.Warnf(use.Pos, use.Width, "unknown-guardrail", "%s: %s is a guardrail of no prompt with which this eval "+
				"runs, so it never fires there", use.Type, use.Name)
			w.Hint = "list it under validators of the prompt, or move the eval to the prompt that has it"
		}
	}
}

// add adds what the evals of a scenario wait for, under prompts with these guardrails.
func (w *elsewhere) add(set evals.Set, own, known []string) {
	for _, e := range set {
		if !e.Gates() {
			continue
		}
		has := slices.Clone(own)
		for _, other := range set {
			if other != e {
				has = append(has, other.ID, other.Type)
			}
		}
		inventory.EachCompiled(e.Compiled, func(c *checks.Compiled) {
			for _, use := range c.GuardrailUses() {
				if use.Name == "" || !slices.ContainsFunc(known, use.Means) {
					continue
				}
				if _, met := w.has[use.Pos]; !met {
					w.uses = append(w.uses, &use)
				}
				w.has[use.Pos] = w.has[use.Pos] || slices.ContainsFunc(has, use.Means)
			}
		})
	}
}
