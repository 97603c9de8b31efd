package metrics

import "github.com/arena-evals/arena/internal/result"

// maxGates is how many gates have metrics of their own.
const maxGates = 1000

// groups records what the groups of several trials came to.
func (m *Metrics) groups(run *result.Run) {
	c := run.Summary.Groups
	if c == nil {
		return
	}
	for s, n := range map[result.Status]int{
		result.Passed: c.Passed, result.Failed: c.Failed, result.Undecided: c.Undecided, result.Errored: c.Errors,
		result.Skipped: c.Skipped, result.Cancelled: c.Cancelled,
	} {
		m.set(&groups, float64(n), s.String())
	}
	m.set(&undecidedAllowed, float64(run.Summary.Allowed))
	told := 0
	for i := range run.Groups {
		g := &run.Groups[i]
		if g.Gate == nil || g.Gate.Rule != result.RuleGate {
			continue
		}
		if told++; told > maxGates {
			return
		}
		name := g.Scenario + "/" + g.Provider + "/" + g.Region
		m.set(&gateVerdict, 1, name, g.Gate.Verdict.String())
		m.set(&gateLow, g.Gate.Low, name)
		m.set(&gateHigh, g.Gate.High, name)
		for outcome, n := range map[string]int{"passed": g.Gate.Passed, "failed": g.Gate.Failed, "broken": g.Gate.Broken} {
			m.set(&gateTrials, float64(n), name, outcome)
		}
	}
}
