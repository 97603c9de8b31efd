package gate

import (
	"math"
	"testing"
)

// outcomes are all trials that can come next.
var outcomes = []Counts{{Passed: 1}, {Failed: 1}, {Broken: 1}}

func (c Counts) and(o Counts) Counts {
	return Counts{c.Passed + o.Passed, c.Failed + o.Failed, c.Broken + o.Broken}
}

// TestNeed: with every outcome of every trial, a gate never ends before it was said to, and may end then. It is over
// only where no outcome of what is left changes what it says.
// TestOddsOfCounts: a count that must pass as a whole ends at the first failure.
func TestOddsOfCounts(t *testing.T) {
	t.Parallel()
	all := Curtailed(20, 1)
	for rate, want := range map[float64]float64{0.5: 2.0, 0.8: 4.9, 0.9: 8.8, 0.95: 12.8, 0.99: 18.2} {
		o := all.Odds(rate)
		passes := math.Pow(rate, 20)
		if math.Abs(o.Trials-want) > 0.06 || math.Abs(o.Passed-passes) > 1e-12 || math.Abs(o.Failed-1+passes) > 1e-12 {
			t.Errorf("at %v: %+v, want %v trials and %v passed", rate, o, want, passes)
		}
	}
	if pass, fail := Curtailed(20, 0.9).Soonest(); pass != 18 || fail != 3 {
		t.Errorf("passes after %d, fails after %d", pass, fail)
	}
	if o := Curtailed(20, 0.9).Odds(0.9); math.Abs(o.Passed-0.6769268) > 1e-6 || o.Undecided != 0 { // 18 of 20 and more
		t.Errorf("%+v", o)
	}
}

func TestNeed(t *testing.T) {
	t.Parallel()
	for _, r := range []Rule{
		{0.5, 0, 0.9, 9, 1, 1}, {0.5, 0.2, 0.9, 9, 1, 1}, {0.5, 0, 0.8, 9, 1, 3}, {0.6, 0, 0.8, 8, 4, 2},
		{0.6, 0, 0.8, 8, 8, 1}, {0.3, 0, 0.9, 8, 1, 1},
	} {
		g := gateOf(t, r)
		seen := map[Counts]bool{}
		var visit func(c Counts)
		visit = func(c Counts) {
			if seen[c] {
				return
			}
			seen[c] = true
			if g.At(c) == Open {
				if got, want := g.Need(c), soonest(g, c); got != want {
					t.Errorf("%+v after %+v: %d trials are needed, it may be over after %d", r, c, got, want)
				}
				for _, o := range outcomes {
					visit(c.and(o))
				}
				return
			}
			if c.N() < r.Min || g.Need(c) != 0 {
				t.Errorf("%+v after %+v: over, and %d more needed", r, c, g.Need(c))
			}
			if g.At(c) == Undecided && decides(g, c) {
				t.Errorf("%+v after %+v: given up, though more trials could decide", r, c)
			}
		}
		visit(Counts{})
	}
}

// soonest is the number of trials after which a gate can be over, found by trying.
func soonest(g *Gate, c Counts) int {
	states := map[Counts]bool{c: true}
	for n := 1; ; n++ {
		next := map[Counts]bool{}
		for s := range states {
			for _, o := range outcomes {
				if g.At(s.and(o)) != Open {
					return n
				}
				next[s.and(o)] = true
			}
		}
		states = next
	}
}

// decides tells whether some outcome of the trials that are left reaches a line.
func decides(g *Gate, c Counts) bool {
	if c.N() >= g.Max {
		return false
	}
	for _, o := range outcomes {
		next := c.and(o)
		if n := next.N(); g.Look(n) && (next.Passed >= g.PassLine[n-1] || next.Failed >= g.FailLine[n-1]) ||
			decides(g, next) {
			return true
		}
	}
	return false
}

// TestNeedInSteps: an agent that always passes is asked in a few steps, of which none is wasted.
func TestNeedInSteps(t *testing.T) {
	t.Parallel()
	g := gateOf(t, Rule{0.8, 0, 0.95, 50, 1, 1})
	var steps []int
	for c := (Counts{}); g.At(c) == Open; c.Passed += steps[len(steps)-1] {
		steps = append(steps, g.Need(c))
	}
	if len(steps) != 4 || [4]int(steps) != [4]int{3, 5, 8, 2} {
		t.Errorf("asked in steps of %v, want 3, 5, 8, 2", steps)
	}
}

// TestBroken: what broke brings no verdict nearer, on either side.
func TestBroken(t *testing.T) {
	t.Parallel()
	g := gateOf(t, Rule{0.8, 0, 0.95, 50, 1, 1})
	for _, c := range []struct {
		counts  Counts
		want    Verdict
		clouded bool
	}{
		{Counts{18, 0, 0}, Passed, false},
		{Counts{17, 0, 1}, Open, true},
		{Counts{26, 0, 1}, Passed, true},
		{Counts{0, 2, 1}, Open, true},
		{Counts{0, 4, 1}, Failed, true},
		{Counts{0, 0, 50}, Undecided, true},
		{Counts{45, 4, 1}, Undecided, true},
		{Counts{43, 6, 1}, Undecided, false},
	} {
		got, bar := g.At(c.counts), g.Shown(c.counts)
		if got != c.want || g.Clouded(c.counts) != c.clouded {
			t.Errorf("%+v: %v, clouded: %v", c.counts, got, g.Clouded(c.counts))
		}
		if got == Passed && bar.Low < 0.8 || got == Failed && bar.High > 0.8 ||
			got == Undecided && (bar.Low > 0.8 || bar.High < 0.8) {
			t.Errorf("%+v: %v, with the bar %+v", c.counts, got, bar)
		}
	}
	// An agent of the line of whose failures each second one breaks does not pass more often.
	if wrong := passesWhenBroken(g, 0.8, 0.1); wrong > g.Alpha() {
		t.Errorf("passes %v of the time", wrong)
	}
}

// passesWhenBroken is how often a gate passes where trials pass at a rate and break at another.
func passesWhenBroken(g *Gate, passing, breaking float64) (passed float64) {
	states := map[Counts]float64{{}: 1}
	chance := []float64{passing, 1 - passing - breaking, breaking}
	for len(states) > 0 {
		next := map[Counts]float64{}
		for s, p := range states {
			for i, o := range outcomes {
				switch to := s.and(o); g.At(to) {
				case Open:
					next[to] += p * chance[i]
				case Passed:
					passed += p * chance[i]
				case Failed, Undecided:
				}
			}
		}
		states = next
	}
	return passed
}

// TestUnbiased: over all sequences of trials the estimates of rates and powers are right on average.
func TestUnbiased(t *testing.T) {
	t.Parallel()
	g := gateOf(t, Rule{0.6, 0, 0.9, 12, 3, 1})
	for _, rate := range []float64{0.1, 0.5, 0.7} {
		var mean, all, any, trials float64
		for bits := range 1 << g.Max {
			c, chance := Counts{}, 1.0
			for n := range g.Max {
				if passes := bits>>n&1 == 1; passes {
					chance *= rate
				} else {
					chance *= 1 - rate
				}
			}
			for n := 0; g.At(c) == Open; n++ {
				c = c.and(outcomes[1-bits>>n&1])
			}
			power, ok := g.AllOf(3, c)
			some, also := g.AnyOf(3, c)
			if !ok || !also {
				t.Fatalf("no powers at %+v", c)
			}
			trials += chance * float64(c.N())
			mean, all, any = mean+chance*g.Estimate(c), all+chance*power, any+chance*some
		}
		want := []float64{rate, rate * rate * rate, 1 - math.Pow(1-rate, 3), g.Odds(rate).Trials}
		for i, got := range []float64{mean, all, any, trials} {
			if math.Abs(got-want[i]) > 1e-9 {
				t.Errorf("at rate %v number %d is %v on average, want %v", rate, i, got, want[i])
			}
		}
	}
}

// TestFixedPowers: the choices of k of n are counted one by one.
func TestFixedPowers(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 8; n++ {
		for passed := 0; passed <= n; passed++ {
			for k := 0; k <= n+1; k++ {
				choices, allPass, anyPass := 0, 0, 0
				for bits := range 1 << n {
					inside, good := 0, 0
					for i := range n {
						inside += bits >> i & 1
						if i < passed {
							good += bits >> i & 1
						}
					}
					if inside == k {
						choices++
						allPass += int(truth(good == k))
						anyPass += int(truth(good > 0))
					}
				}
				all, ok := AllOf(k, n, passed)
				some, also := AnyOf(k, n, passed)
				if can := k >= 1 && k <= n; ok != can || also != can {
					t.Fatalf("%d of %d: %v", k, n, ok)
				}
				if ok && (math.Abs(all-float64(allPass)/float64(choices)) > 1e-12 ||
					math.Abs(some-float64(anyPass)/float64(choices)) > 1e-12) {
					t.Errorf("%d of %d with %d passed: all %v, any %v", k, n, passed, all, some)
				}
			}
		}
	}
}

// TestCertain: what is certain early is what all trials come to, and it is known as early as can be.
func TestCertain(t *testing.T) {
	t.Parallel()
	thresholds := []float64{0.01, 1.0 / 3, 0.5, 0.6, 2.0 / 3, 0.8, 0.9, 0.95, 1}
	for most := 1; most <= 12; most++ {
		for _, threshold := range thresholds {
			for n := range most + 1 {
				for passed := range n + 1 {
					got := Certain(passed, n-passed, most-n, threshold)
					can := map[Verdict]bool{}
					for more := range most - n + 1 {
						if float64(passed+more)/float64(most) >= threshold {
							can[Passed] = true
						} else {
							can[Failed] = true
						}
					}
					if got == Open != (len(can) == 2) || got != Open && !can[got] {
						t.Fatalf("%d of %d, %d left, threshold %v: %v, can be %v", passed, n, most-n, threshold, got, can)
					}
				}
			}
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, r := range []Rule{
		{}, {1, 0, 0.95, 20, 1, 1}, {0.8, 0.8, 0.95, 20, 1, 1}, {0.8, -0.1, 0.95, 20, 1, 1}, {0.8, 0, 1, 20, 1, 1},
		{0.8, 0, 0.5, 20, 1, 1}, {0.8, 0, 0.95, 20, 21, 1}, {0.8, 0, 0.95, 20, 0, 1}, {0.8, 0, 0.95, 20, 1, 3},
		{0.8, 0, 0.95, 20, 1, 0}, {0.8, 0, 0.95, MostTrials + 1, 1, 1}, {math.NaN(), 0, 0.95, 20, 1, 1},
		{0.8, math.NaN(), 0.95, 20, 1, 1}, {0.8, 0, math.NaN(), 20, 1, 1},
	} {
		if _, err := Of(r); err == nil {
			t.Errorf("%+v is a gate", r)
		}
	}
}

func TestReach(t *testing.T) {
	t.Parallel()
	for rate, want := range map[float64]int{0.5: 5, 0.7: 9, 0.8: 14, 0.9: 29, 0.95: 59, 0.99: 299} {
		r := Rule{PassRate: rate, Confidence: 0.95, Min: 1, Block: 1}
		got, ok := r.LeastMax()
		r.Max = got
		before := r
		before.Max--
		if got != want || !ok || !r.Reachable() || before.Reachable() {
			t.Errorf("%v takes %d trials (%v), want %d", rate, got, ok, want)
		}
		g := gateOf(t, r)
		if g.PassLine[got-1] != got || g.Odds(1).Passed != 1 {
			t.Errorf("%v: %d of %d do not pass", rate, got, got)
		}
	}
	r := Rule{PassRate: 0.9, Confidence: 0.95, Max: 20, Min: 1, Block: 1}
	tolerance, ok := r.LeastTolerance()
	confidence, also := r.MostConfidence()
	if r.Reachable() || !ok || !also || tolerance != 0.04 || confidence != 0.87 || math.Abs(r.BestLow()-0.8609) > 1e-4 {
		t.Errorf("20 trials for 0.9: tolerance %v, confidence %v, low %v", tolerance, confidence, r.BestLow())
	}
	for _, c := range []struct {
		rule Rule
		want int
	}{
		{Rule{PassRate: 0.5, Min: 1, Block: 1}, 20}, {Rule{PassRate: 0.8, Min: 1, Block: 1}, 50},
		{Rule{PassRate: 0.9, Min: 1, Block: 1}, 100}, {Rule{PassRate: 0.9, Tolerance: 0.15, Min: 1, Block: 1}, 40},
		{Rule{PassRate: 0.9, Min: 1, Block: 3}, 102}, {Rule{PassRate: 0.99, Min: 1, Block: 1}, 1000},
		{Rule{PassRate: 0.995, Min: 1, Block: 1}, 1000}, {Rule{PassRate: 0.5, Min: 30, Block: 1}, 30},
	} {
		if got := c.rule.DefaultMax(); got != c.want {
			t.Errorf("%+v: at most %d trials, want %d", c.rule, got, c.want)
		}
	}
}

// TestAbout: with as many trials as are said to decide, the gate decides most times.
func TestAbout(t *testing.T) {
	t.Parallel()
	g := gateOf(t, Rule{0.8, 0, 0.95, 50, 1, 1})
	for _, c := range []Counts{{38, 5, 0}, {45, 5, 0}, {35, 15, 0}, {46, 4, 0}} {
		n, ok := g.About(c)
		if !ok {
			t.Fatalf("%+v: cannot tell", c)
		}
		o := gateOf(t, Rule{0.8, 0, 0.95, max(n, 14), 1, 1}).Odds(float64(c.Passed) / float64(c.N()))
		t.Logf("%+v: about %d trials decide %.1f%%", c, n, 100*(1-o.Undecided))
		if o.Undecided > 0.2 {
			t.Errorf("%+v: %d trials leave %v undecided", c, n, o.Undecided)
		}
	}
	for _, c := range []Counts{{}, {40, 10, 0}, {401, 99, 0}} {
		if n, ok := g.About(c); ok {
			t.Errorf("%+v: %d trials would decide", c, n)
		}
	}
}

func BenchmarkLines100(b *testing.B)  { benchmarkLines(b, 100) }
func BenchmarkLines1000(b *testing.B) { benchmarkLines(b, 1000) }

func benchmarkLines(b *testing.B, most int) {
	for b.Loop() {
		build(Rule{0.8, 0, 0.95, most, 1, 1})
	}
}

func BenchmarkNeed(b *testing.B) {
	g := gateOf(b, Rule{0.8, 0, 0.95, 1000, 1, 1})
	for b.Loop() {
		g.Need(Counts{Passed: 300, Failed: 75})
	}
}

func BenchmarkBar(b *testing.B) {
	g := gateOf(b, Rule{0.8, 0, 0.95, 50, 1, 1})
	for b.Loop() {
		g.Bar(Counts{Passed: 33, Failed: 2})
	}
}

func BenchmarkRepeatedLevel100(b *testing.B) {
	for b.Loop() {
		repeatedLevels.Clear()
		repeatedLevel(100, 0.95)
	}
}

// TestStopping: the rules of counts have the ends that they should, each with its chance, and say nothing on average
// that is not so.
func TestStopping(t *testing.T) {
	t.Parallel()
	for _, s := range []*Stopping{Fixed(1), Fixed(7), Curtailed(7, 1), Curtailed(7, 0.5), Curtailed(20, 0.9)} {
		for _, rate := range []float64{0, 0.3, 0.9, 1} {
			var sum, mean float64
			estimates := s.Estimates()
			for i, p := range s.Chances(rate) {
				sum, mean = sum+p, mean+p*estimates[i]
			}
			if math.Abs(sum-1) > 1e-12 || math.Abs(mean-rate) > 1e-12 {
				t.Errorf("rate %v: the ends make up %v and say %v", rate, sum, mean)
			}
		}
	}
	if got := len(Fixed(7).Ends()); got != 8 {
		t.Errorf("7 trials end in %d ways", got)
	}
	if got, want := Fixed(10).Variance(0.3), 0.021; math.Abs(got-want) > 1e-12 {
		t.Errorf("variance %v, want %v", got, want)
	}
	// 20 trials that must all pass end with the first that does not.
	for rate, want := range map[float64]float64{0.5: 2, 0.8: 4.9, 0.9: 8.8, 0.95: 12.8, 0.99: 18.2} {
		s, trials := Curtailed(20, 1), 0.0
		for i, p := range s.Chances(rate) {
			trials += p * float64(s.Ends()[i].N)
		}
		if math.Abs(trials-want) > 0.05 {
			t.Errorf("rate %v: %v trials on average, want %v", rate, trials, want)
		}
	}
}
