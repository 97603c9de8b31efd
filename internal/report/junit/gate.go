package junit

import (
	"fmt"
	"strconv"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// gateProperties are what the trials of a gate showed.
func gateProperties(g *show.Group) []property {
	if !show.Early(g.Stats) {
		return nil
	}
	gate := g.Stats.Gate
	share := func(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }
	all := []property{
		{"counted", strconv.Itoa(gate.Counted)}, {"low", share(gate.Low)}, {"high", share(gate.High)},
		{"verdict", gate.Verdict.String()},
	}
	if gate.Flaky != "" {
		all = append(all, property{"flaky", gate.Flaky})
	}
	return all
}

// rateMessage is why a gate did not pass: "2 of 7 passed: at most 71%, asked 80%".
func rateMessage(g *result.Gate) string {
	if g.Verdict == result.Failed {
		_, high := show.BarEnds(g)
		return fmt.Sprintf("%d of %d passed: at most %s, %s", g.Passed, g.Counted, high, show.Asked(g))
	}
	return show.GateLine(g)
}
