package gate

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// mix is a suite as one meets it: the shares of scenarios by their rates.
var mix = []struct{ rate, share float64 }{
	{1, 0.35}, {0.99, 0.15}, {0.97, 0.1}, {0.95, 0.1}, {0.9, 0.1}, {0.8, 0.06}, {0.7, 0.05}, {0.5, 0.05}, {0.2, 0.02},
	{0, 0.02},
}

// overMix are the odds of a gate over the mix.
func overMix(g *Gate) (o Odds) {
	for _, m := range mix {
		at := g.Odds(m.rate)
		o.Passed += m.share * at.Passed
		o.Failed += m.share * at.Failed
		o.Undecided += m.share * at.Undecided
		o.Trials += m.share * at.Trials
	}
	return o
}

// TestPromise holds many gates to what they say of themselves, exactly, at 99 rates each. With -v it prints them.
func TestPromise(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("\n line        max  conf   worst errors, of the allowed ones     calls      undecided   bar ends" +
		"   bias\n                        passed   failed   any    held     over the mix           miss\n")
	worst := promise{}
	for _, line := range [][2]float64{{0.5, 0}, {0.7, 0}, {0.8, 0}, {0.9, 0}, {0.95, 0}, {0.9, 0.2}, {0.95, 0.15}} {
		for _, most := range []int{10, 20, 50, 100} {
			for _, confidence := range []float64{0.9, 0.95} {
				g := gateOf(t, Rule{line[0], line[1], confidence, most, 1, 1})
				p := measure(t, g)
				m := overMix(g)
				fmt.Fprintf(&table, " %-4.3g-%-4.3g %5d  %3.0f%%", g.Lower(), g.Upper(), most, 100*confidence)
				fmt.Fprintf(&table, "   %.4f   %.4f   %.4f  %.4f", p.passed, p.failed, p.any, p.held)
				fmt.Fprintf(&table, "   %6.2f = %3.0f%%   %5.1f%%      %.4f    %.0e\n",
					m.Trials, 100*m.Trials/float64(most), 100*m.Undecided, p.bars, p.bias)
				worst = worst.worse(p)
			}
		}
	}
	fmt.Fprintf(&table, " the worst                %.4f   %.4f   %.4f  %.4f                              %.4f    %.0e",
		worst.passed, worst.failed, worst.any, worst.held, worst.bars, worst.bias)
	t.Log(table.String())
	if most := max(worst.passed, worst.failed, worst.any, worst.held, worst.bars); most > 1+guard {
		t.Errorf("an error is %v of what is allowed", most)
	}
	if worst.bias > 1e-9 {
		t.Errorf("an estimate is off by %v", worst.bias)
	}
}

// promise is how far a gate uses up what it promises: parts of alpha, the greatest over all rates.
type promise struct {
	passed, failed float64 // wrong verdicts
	any            float64 // wrong for at least one of the rates that a line looks at, however long the gate goes on
	held           float64 // an end of the bars that a gate with broken trials shows
	bars           float64 // an end of a bar
	bias           float64 // of the estimate
}

func (p promise) worse(o promise) promise {
	return promise{max(p.passed, o.passed), max(p.failed, o.failed), max(p.any, o.any), max(p.held, o.held),
		max(p.bars, o.bars), max(p.bias, o.bias)}
}

func measure(t *testing.T, g *Gate) (p promise) {
	t.Helper()
	ends, estimates := g.Stopping().Ends(), g.Stopping().Estimates()
	bars, held := make([]Bar, len(ends)), make([]Bar, len(ends))
	for i, e := range ends {
		c := Counts{Passed: e.Passes, Failed: e.N - e.Passes}
		bars[i], held[i] = g.Bar(c), Repeated(c, g.Max, g.Confidence)
		switch e.Verdict {
		case Passed:
			held[i].Low = max(held[i].Low, g.Lower())
		case Failed:
			held[i].High = min(held[i].High, g.Upper())
		case Open, Undecided:
		}
		above, below := bars[i].Low > g.Lower(), bars[i].High < g.Upper()
		shown := g.Shown(Counts{Passed: e.Passes, Failed: e.N - e.Passes})
		across := shown.Low <= g.Lower() && shown.High >= g.Upper()
		agree := above && e.Verdict == Passed || below && e.Verdict == Failed || across && e.Verdict == Undecided
		if !agree || above && below && g.Tolerance == 0 || across != (e.Verdict == Undecided) || !bars[i].Exact {
			t.Errorf("%+v: %v at %d of %d has the bar %+v", g.Rule, e.Verdict, e.Passes, e.N, bars[i])
		}
	}
	for i := 1; i < 100; i++ {
		rate := float64(i) / 100
		o := g.Odds(rate)
		if rate <= g.Lower() {
			p.passed = max(p.passed, o.Passed/g.Alpha())
			p.any = max(p.any, crossed(g, g.PassLine, rate)/g.Alpha())
		}
		if rate >= g.Upper() {
			p.failed = max(p.failed, o.Failed/g.Alpha())
			p.any = max(p.any, crossed(g, g.FailLine, 1-rate)/g.Alpha())
		}
		var low, high, heldLow, heldHigh, mean float64
		for j, chance := range g.Stopping().Chances(rate) {
			low += chance * truth(bars[j].Low > rate)
			high += chance * truth(bars[j].High < rate)
			heldLow += chance * truth(held[j].Low > rate)
			heldHigh += chance * truth(held[j].High < rate)
			mean += chance * estimates[j]
		}
		p.bars = max(p.bars, low/g.Alpha(), high/g.Alpha())
		p.held = max(p.held, heldLow/g.Alpha(), heldHigh/g.Alpha())
		p.bias = max(p.bias, math.Abs(mean-rate))
		if off := math.Abs(o.Passed + o.Failed + o.Undecided - 1); off > 1e-9 {
			t.Errorf("%+v: the ends make up 1 but for %v at rate %v", g.Rule, off, rate)
		}
	}
	return p
}

// crossed is how likely a line is crossed at any look, where nothing else ends the gate: by plain sums over trials.
func crossed(g *Gate, line []int, rate float64) (sum float64) {
	p := make([]float64, g.Max+2)
	p[0] = 1
	for n := 1; n <= g.Max; n++ {
		for x := n; x >= 0; x-- {
			p[x] *= 1 - rate
			if x > 0 {
				p[x] += p[x-1] * rate
			}
		}
		for x := line[n-1]; x <= n; x++ {
			sum += p[x]
			p[x] = 0
		}
	}
	return sum
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// TestCalls: what gates save over the mix, and whom they pass all the same.
func TestCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   Rule
		share  float64 // of the calls of a count of Max, at most
		at     float64
		passes float64 // at least
	}{
		{Rule{0.5, 0, 0.95, 20, 1, 1}, 0.40, 0.95, 0.99},
		{Rule{0.8, 0, 0.95, 50, 1, 1}, 0.48, 0.95, 0.91},
		{Rule{0.8, 0, 0.95, 100, 1, 1}, 0.33, 0.95, 0.99},
		{Rule{0.9, 0, 0.95, 100, 1, 1}, 0.48, 0.98, 0.90},
		{Rule{0.9, 0.2, 0.95, 50, 1, 1}, 0.30, 0.95, 0.99},
	} {
		g := gateOf(t, c.rule)
		share, passes := overMix(g).Trials/float64(c.rule.Max), g.Odds(c.at).Passed
		t.Logf("%+v: %.1f%% of the calls, passes %.1f%% at %v", c.rule, 100*share, 100*passes, c.at)
		if share > c.share || passes < c.passes {
			t.Errorf("%+v: %v of the calls, want %v; passes %v at %v, want %v",
				c.rule, share, c.share, passes, c.at, c.passes)
		}
	}
}

// TestRepeated: the bars that hold at all times are wrong at any time in at most alpha of all runs, and in half a
// hundredth of it more at the rates between those that their level was found for.
func TestRepeated(t *testing.T) {
	t.Parallel()
	counts := []int{1, 5, 10, 20, 50}
	if !testing.Short() {
		counts = append(counts, 100)
	}
	for _, most := range counts {
		for _, confidence := range []float64{0.9, 0.95} {
			level, worst := repeatedLevel(most, confidence), 0.0
			r := Rule{Max: most, Min: 1, Block: 1, Confidence: confidence}
			for i := 1; i < 2000; i++ {
				rate := float64(i) / 2000
				worst = max(worst, crossing(tails(r, rate), r, rate, level))
			}
			t.Logf("max %d, confidence %v: level %.4f, wrong in %.5f", most, confidence, level, worst)
			if worst > r.Alpha()*1.005 {
				t.Errorf("max %d, confidence %v: a bar is wrong at some time in %v", most, confidence, worst)
			}
		}
	}
}
