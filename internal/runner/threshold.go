package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// EarlyCount is the rule of a group whose trials are counted and end as soon as the count is certain, and the largest
// share of trials in which an assertion must hold. It returns false for other groups, and when no single share decides:
// variants are counted apart, and evals can judge until the last trial.
func (t *Trial) EarlyCount() (spec *result.GateSpec, share float64, is bool) {
	s := t.Rule()
	if s == nil || s.Rule != result.RuleCount || s.Stop != result.StopEarly || s.Block != 1 ||
		inventory.HasMeasures(t.Project.Project, t.shared()) {
		return nil, 0, false
	}
	lists := append(turnChecks(t.Scenario), t.Project.Globals, t.Scenario.Conversation)
	for _, c := range slices.Concat(lists...) {
		share, is = max(share, passThreshold(c.Compiled)), true
	}
	return s, share, is
}

// passThreshold is the share of the trials in which a check has to hold.
func passThreshold(compiled any) float64 {
	switch c := compiled.(type) {
	case *checks.Compiled:
		if c.PassThreshold != nil {
			return *c.PassThreshold
		}
	case *scenario.Check:
		if c.PassThreshold != nil {
			return *c.PassThreshold
		}
	}
	return 1
}
