package runner

import (
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// expectConditions requires that an assertion with a condition is in the turn that makes the calls it depends on.
func (m *matrix) expectConditions(p *scenario.Project, all []*scenario.Scenario) {
	inventory.EachAssertion(p, all, func(c *checks.Compiled) {
		if c.When != nil {
			m.tracker.ExpectCondition(c.Pos, c.When)
		}
	})
}
