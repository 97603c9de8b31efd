package evidence

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/gate"
)

func counted(n, passed int) Sample {
	return Sample{gate.Fixed(n), true, gate.Counts{Passed: passed, Failed: n - passed}}
}

// comparison is two counts of trials, each with its passes, and the p value of the claim that the second is worse.
type comparison struct {
	Baseline, Candidate [2]int
	Worse               float64 `json:"p_worse"`
}

// TestWorse holds p values against those that were found before, and those of another implementation in the file that
// ARENA_STATISTICS names.
func TestWorse(t *testing.T) {
	t.Parallel()
	all := []comparison{
		{[2]int{1, 1}, [2]int{1, 0}, 0.25}, // a pass and a failure of a coin
		{[2]int{2, 2}, [2]int{2, 0}, 0.0625},
		{[2]int{1, 0}, [2]int{1, 1}, 1},
		{[2]int{5, 5}, [2]int{5, 5}, 1},
		{[2]int{6, 6}, [2]int{4, 1}, 0.013282},
		{[2]int{12, 11}, [2]int{12, 6}, 0.018888},
		{[2]int{30, 29}, [2]int{5, 3}, 0.033644},
	}
	if other := os.Getenv("ARENA_STATISTICS"); other != "" {
		var of struct{ Comparisons []comparison }
		data, err := os.ReadFile(other)
		if err == nil {
			err = json.Unmarshal(data, &of)
		}
		if err != nil || len(of.Comparisons) == 0 {
			t.Fatalf("%s: %d comparisons, %v", other, len(of.Comparisons), err)
		}
		all = append(all, of.Comparisons...)
	}
	for _, c := range all {
		got := Worse(Pair{counted(c.Baseline[0], c.Baseline[1]), counted(c.Candidate[0], c.Candidate[1])})
		if !(math.Abs(got-c.Worse) <= 1e-6) {
			t.Errorf("%v to %v: p is %.6f, want %v", c.Baseline, c.Candidate, got, c.Worse)
		}
	}
}

// TestWorseHoldsItsLevel: two samples of one rate differ significantly in at most so many cases, also where the samples
// ended early.
func TestWorseHoldsItsLevel(t *testing.T) {
	t.Parallel()
	early, err := gate.Of(gate.Rule{PassRate: 0.8, Confidence: 0.95, Max: 20, Min: 1, Block: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]Pair{
		"counts": {Sample{Stopping: gate.Fixed(9)}, Sample{Stopping: gate.Fixed(4)}},
		"gates":  {Sample{Stopping: early.Stopping()}, Sample{Stopping: early.Stopping()}},
		"both":   {Sample{Stopping: gate.Curtailed(12, 0.9)}, Sample{Stopping: early.Stopping()}},
	} {
		b, c := p.Baseline.Stopping.Ends(), p.Candidate.Stopping.Ends()
		significant := map[[2]int]bool{}
		for i, e := range b {
			for j, f := range c {
				p.Baseline.Counts = gate.Counts{Passed: e.Passes, Failed: e.N - e.Passes}
				p.Candidate.Counts = gate.Counts{Passed: f.Passes, Failed: f.N - f.Passes}
				significant[[2]int{i, j}] = Worse(p) <= 0.05
			}
		}
		worst := 0.0
		for i := 1; i < 200; i++ {
			rate, wrong := float64(i)/200, 0.0
			of := p.Candidate.Stopping.Chances(rate)
			for i, x := range p.Baseline.Stopping.Chances(rate) {
				for j, y := range of {
					if significant[[2]int{i, j}] {
						wrong += x * y
					}
				}
			}
			worst = max(worst, wrong)
		}
		t.Logf("%s: wrong in %.4f", name, worst)
		if worst > 0.05*(1+tie) || worst < 0.02 {
			t.Errorf("%s: wrong in %v, want at most 0.05 and not much less", name, worst)
		}
	}
}

// TestBroken: trials that broke make no claim easier, in either direction.
func TestBroken(t *testing.T) {
	t.Parallel()
	whole := Pair{counted(10, 10), counted(10, 5)}
	for _, broken := range []Pair{
		{Sample{gate.Fixed(10), true, gate.Counts{Passed: 8, Broken: 2}}, whole.Candidate},
		{whole.Baseline, Sample{gate.Fixed(10), true, gate.Counts{Passed: 5, Failed: 3, Broken: 2}}},
	} {
		if Worse(broken) <= Worse(whole) || SuiteWorse([]Pair{broken}, 1) <= SuiteWorse([]Pair{whole}, 1) {
			t.Errorf("%+v: p is %v and %v", broken, Worse(broken), SuiteWorse([]Pair{broken}, 1))
		}
	}
	none := Pair{Sample{gate.Fixed(1), true, gate.Counts{}}, counted(10, 0)}
	if Worse(none) != 1 || SuiteWorse([]Pair{none}, 1) != 1 || SuiteWorse(nil, 1) != 1 {
		t.Error("no trials show something")
	}
	if f := Compare([]Pair{none}, 0.95, 1); f.Regressed || f.Improved || f.Drop != 1 {
		t.Errorf("no trials: %+v", f)
	}
}

func TestDiscoveries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p    []float64
		want []bool
	}{
		{nil, []bool{}},
		{[]float64{0.05}, []bool{true}},
		{[]float64{0.06}, []bool{false}},
		{[]float64{0.03, 0.2}, []bool{false, false}},
		{[]float64{0.05, 0.2, 0.03}, []bool{false, false, false}},
		{[]float64{0.05, 0.04, 0.03}, []bool{true, true, true}},
		{[]float64{0.5, 0.001, 0.024, 0.9}, []bool{false, true, true, false}},
	} {
		if got := Discoveries(c.p, 0.05); !slices.Equal(got, c.want) {
			t.Errorf("of %v are picked %v, want %v", c.p, got, c.want)
		}
	}
}

// TestSuiteIsMcNemar: with one trial a side, what counts is how many of the scenarios that differ fell.
func TestSuiteIsMcNemar(t *testing.T) {
	t.Parallel()
	var pairs []Pair
	for i := range 20 {
		was, is := 1, 1
		switch {
		case i < 7:
			is = 0
		case i < 8:
			was = 0
		}
		pairs = append(pairs, Pair{counted(1, was), counted(1, is)})
	}
	// Of 8 scenarios that differ, 7 or 8 fell: 9 of 256 cases.
	if got, want := SuiteWorse(pairs, 3), 9.0/256; math.Abs(got-want) > 0.015 {
		t.Errorf("p is %v, want about %v", got, want)
	}
	if SuiteWorse(pairs, 3) != SuiteWorse(pairs, 3) {
		t.Error("the same seed gives another value")
	}
}

// suite draws two runs of scenarios like those that one meets. The rates of the second are changed.
func suite(random *rand.Rand, scenarios int, baseline, candidate *gate.Stopping, fixed bool,
	change func(i int, rate float64) float64,
) (pairs []Pair) {
	rates := []float64{1, 1, 1, 1, 1, 1, 1, 0.99, 0.99, 0.99, 0.97, 0.97, 0.95, 0.95, 0.9, 0.9, 0.8, 0.7, 0.5, 0.2}
	trial := func(s *gate.Stopping, rate float64) Sample {
		at, ends := random.Float64(), s.Ends()
		i := 0
		for j, p := range s.Chances(rate) {
			if i = j; at < p {
				break
			}
			at -= p
		}
		return Sample{s, fixed, gate.Counts{Passed: ends[i].Passes, Failed: ends[i].N - ends[i].Passes}}
	}
	for i := range scenarios {
		rate := rates[i%len(rates)]
		pairs = append(pairs, Pair{trial(baseline, rate), trial(candidate, max(change(i, rate), 0))})
	}
	return pairs
}

// TestSuites: suites in which nothing changed are seldom called worse or better, and one scenario in ten that fell to
// 0.3 is nearly always found. ARENA_SUITES is a greater number of suites.
func TestSuites(t *testing.T) {
	t.Parallel()
	g, err := gate.Of(gate.Rule{PassRate: 0.8, Confidence: 0.95, Max: 50, Min: 1, Block: 1})
	if err != nil {
		t.Fatal(err)
	}
	runs := 12
	if most := os.Getenv("ARENA_SUITES"); most != "" {
		if err := json.Unmarshal([]byte(most), &runs); err != nil {
			t.Fatal(err)
		}
	}
	same := func(_ int, rate float64) float64 { return rate }
	lower := func(_ int, rate float64) float64 { return rate - 0.1 }
	broke := func(i int, rate float64) float64 {
		if i%10 == 0 {
			return 0.3
		}
		return rate
	}
	for _, c := range []struct {
		name                string
		scenarios           int
		baseline, candidate *gate.Stopping
		fixed               bool
		change              func(int, float64) float64
		least, most         float64 // the share called worse
	}{
		{"nothing, 100 of 20:5", 100, gate.Fixed(20), gate.Fixed(5), true, same, 0, 0.25},
		{"nothing, 30 of gate:gate", 30, g.Stopping(), g.Stopping(), false, same, 0, 0.25},
		{"one in ten to 0.3, 30 of 20:5", 30, gate.Fixed(20), gate.Fixed(5), true, broke, 0.75, 1},
		{"one in ten to 0.3, 30 of gate:gate", 30, g.Stopping(), g.Stopping(), false, broke, 0.9, 1},
		{"all by 0.1, 30 of 20:5", 30, gate.Fixed(20), gate.Fixed(5), true, lower, 0.7, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, 2))
			worse, better, drops := 0, 0, 0.0
			for i := range runs {
				pairs := suite(random, c.scenarios, c.baseline, c.candidate, c.fixed, c.change)
				f := Compare(pairs, 0.95, uint64(i))
				worse, better, drops = worse+count(f.Regressed), better+count(f.Improved), drops+f.Drop
				if len(f.Worse) > 0 && !f.Regressed || f.SuiteWorse && !f.Regressed {
					t.Errorf("%+v", f)
				}
			}
			share := float64(worse) / float64(runs)
			t.Logf("worse in %.3f, better in %.3f of %d; a drop of %.3f would be seen", share,
				float64(better)/float64(runs), runs, drops/float64(runs))
			if share < c.least || share > c.most || float64(better)/float64(runs) > 0.25 {
				t.Errorf("called worse in %v, better in %d of %d", share, better, runs)
			}
		})
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

func BenchmarkWorse(b *testing.B) {
	g, err := gate.Of(gate.Rule{PassRate: 0.8, Confidence: 0.95, Max: 50, Min: 1, Block: 1})
	if err != nil {
		b.Fatal(err)
	}
	p := Pair{
		Sample{g.Stopping(), false, gate.Counts{Passed: 18}},
		Sample{g.Stopping(), false, gate.Counts{Passed: 4, Failed: 6}},
	}
	for b.Loop() {
		Worse(p)
	}
}
