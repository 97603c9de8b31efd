package runner

import (
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// expectConditions expects that each assertion with a condition judges in some trial.
func (m *matrix) expectConditions(p *scenario.Project, all []*scenario.Scenario) {
	inventory.EachAssertion(p, all, func(c *checks.Compiled) {
		if c.When != nil {
			m.tracker.ExpectCondition(c.Pos)
		}
	})
}
