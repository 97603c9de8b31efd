package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/scenario"
)

// expectGuardrails waits for guardrails that checks of recorded conversations name and the project does not have: the
// recorded agent may have had others.
func (m *matrix) expectGuardrails(p *scenario.Project, judged []*scenario.Scenario) {
	names := preflight.GuardrailNames(p, judged)
	inventory.EachAssertion(p, judged, func(c *checks.Compiled) {
		for _, use := range c.GuardrailUses() {
			if use.Name != "" && !use.Known() && !slices.ContainsFunc(names, use.Means) {
				m.tracker.ExpectGuardrail(&use)
			}
		}
	})
}
