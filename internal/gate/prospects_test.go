package gate_test

import (
	"math"
	"testing"

	"github.com/arena-evals/arena/internal/gate"
)

// TestProspects holds the prospects of a small gate against all of its paths.
func TestProspects(t *testing.T) {
	t.Parallel()
	g, err := gate.Of(gate.Rule{PassRate: 0.5, Confidence: 0.9, Max: 10, Min: 1, Block: 1})
	if err != nil {
		t.Fatal(err)
	}
	var walk func(c gate.Counts, chance float64, ran int) (verdict, trials float64)
	walk = func(c gate.Counts, chance float64, ran int) (verdict, trials float64) {
		switch g.At(c) {
		case gate.Passed, gate.Failed:
			return chance, chance * float64(ran)
		case gate.Undecided:
			return 0, chance * float64(ran)
		case gate.Open:
		}
		passes := (float64(c.Passed) + 0.5) / float64(c.Passed+c.Failed+1)
		up, down := c, c
		up.Passed++
		down.Failed++
		v1, n1 := walk(up, chance*passes, ran+1)
		v2, n2 := walk(down, chance*(1-passes), ran+1)
		return v1 + v2, n1 + n2
	}
	for _, c := range []gate.Counts{{}, {Passed: 2}, {Passed: 3, Failed: 2}, {Passed: 1, Failed: 1, Broken: 2}} {
		verdict, trials := g.Prospects(c)
		want, took := walk(c, 1, 0)
		if math.Abs(verdict-want) > 1e-12 || math.Abs(trials-took) > 1e-12 {
			t.Errorf("%+v: got %v in %v, want %v in %v", c, verdict, trials, want, took)
		}
	}
	if v, n := g.Prospects(gate.Counts{Passed: 10}); v != 0 || n != 0 {
		t.Errorf("a gate that is over has prospects: %v in %v", v, n)
	}
}
