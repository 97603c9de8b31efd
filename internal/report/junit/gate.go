package junit

import (
	"fmt"
	"math"
	"strconv"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// gateProperties describe the pass rate of a group. Ends of bars are rounded outwards.
func gateProperties(g *show.Group) []property {
	if g.Stats == nil || g.Stats.Gate == nil || g.Stats.Gate.Counted == 0 && !show.Early(g.Stats) {
		return nil
	}
	gate := g.Stats.Gate
	const digits, noise = 1e4, 1e-6
	share := func(x float64) string { return strconv.FormatFloat(x/digits, 'f', 4, 64) }
	bar := []property{
		{"low", share(math.Floor(gate.Low*digits + noise))}, {"high", share(math.Ceil(gate.High*digits - noise))},
	}
	if !show.Early(g.Stats) {
		return bar
	}
	all := append([]property{{"counted", strconv.Itoa(gate.Counted)}}, bar...)
	all = append(all, property{"verdict", gate.Verdict.String()})
	if gate.Broken > 0 {
		all = append(all, property{"broken", strconv.Itoa(gate.Broken)})
	}
	if gate.Weakened != "" {
		all = append(all, property{"weakened", string(gate.Weakened)})
	}
	if gate.Flaky != "" {
		all = append(all, property{"flaky", gate.Flaky})
	}
	return all
}

// gated reports whether the trials of a group are judged together and not check by check: by a gate, or in a count that
// failed in the baseline.
func gated(g *show.Group) bool {
	return show.Early(g.Stats) && (g.Stats.Gate.Rule == result.RuleGate || g.Stats.Gate.Unmended())
}

// gate adds what the gate of the group showed, if it has one.
func (c *testcase) gate(g *show.Group) {
	if gated(g) {
		c.rate, c.allowed = rateMessage(g), g.Stats.Gate.Allowed()
	}
}

// rateMessage is why a gate did not pass: "2 of 7 passed: at most 71%, asked 80%".
func rateMessage(of *show.Group) string {
	if g := of.Stats.Gate; g.Verdict == result.Failed {
		_, high := show.BarEnds(g)
		return fmt.Sprintf("%d of %d passed: at most %s, %s", g.Passed, g.Counted, high, show.Asked(g))
	}
	return of.Rate()
}
