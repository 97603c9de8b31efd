package runner

import (
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// expectConditions expects of each assertion with a condition that it stands in the turn whose calls it waits for.
func (m *matrix) expectConditions(p *scenario.Project, all []*scenario.Scenario) {
	inventory.EachAssertion(p, all, func(c *checks.Compiled) {
		if c.When != nil {
			m.tracker.ExpectCondition(c.Pos, c.When)
		}
	})
}
