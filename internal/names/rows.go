package names

import (
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// Rows compares names that come from rows, when a row is run.
type Rows struct {
	checker Checker // to copy
	setups  map[*scenario.Scenario][]*setup
}

// Rows returns the comparison for scenarios with rows; nil: there are none. Call Report first.
func (n *Checker) Rows() *Rows {
	if len(n.rowSetups) == 0 {
		return nil
	}
	n.knownTools()
	n.calledByMocks() // both are shared from now on
	return &Rows{*n, n.rowSetups}
}

// Check reports names that do not exist in a check as it is for a row of a scenario. It returns those that only servers
// can tell to be right, for the trial. A nil r reports nothing.
func (r *Rows) Check(
	s *scenario.Scenario, c *checks.Compiled, d *diag.List,
) (served []*Served, arguments []*Argument) {
	if r == nil {
		return nil, nil
	}
	n := r.checker
	n.Diags, n.Tracker, n.within, n.served, n.arguments = d, nil, s, nil, nil
	n.reaches, n.reported, n.rans, n.reportedRan = nil, nil, nil, nil
	setups := r.setups[s]
	n.check(c, setups)
	n.checkGiven(c, setups)
	return n.served, n.arguments
}
