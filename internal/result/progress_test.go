package result

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gate80 asks for 80% within 50 trials.
var gate80 = GateSpec{
	Rule: RuleGate, PassRate: 0.8, Confidence: 0.95, Max: 50, Min: 1, Block: 1, Stop: StopEarly,
}

// lettered are trials of one group, a letter each: p passed, f failed, e broke, r rejected, c cancelled, s skipped.
func lettered(of int, letters string) (all []*Trial) {
	for i, letter := range letters {
		t := trialOf(i, i+1, of, verdict(Passed, 1))
		t.ID = fmt.Sprintf("s/p/default#%d", i+1)
		t.Replacement = i >= of
		switch letter {
		case 'f':
			t.Turns[0].Assertions[0] = verdict(Failed, 1)
		case 'e':
			t.Error = "timeout"
		case 'r':
			t.Error, t.Rejected, t.Turns = "rate limit", true, nil
		case 'c':
			t.Status, t.Turns = Cancelled, nil
		case 's':
			t.Status, t.Skip, t.Turns = Skipped, "not now", nil
		}
		t.Settle()
		all = append(all, t)
	}
	return all
}

func gatedRun(spec GateSpec, trials ...*Trial) *Run {
	var c Collector
	c.Gate([]GatedGroup{{Scenario: "s", Provider: "p", Region: "default", GateSpec: spec}})
	for _, t := range trials {
		c.Add(t)
	}
	run := &Run{Planned: spec.Max}
	c.Finish(run)
	return run
}

func TestGatedGroups(t *testing.T) {
	t.Parallel()
	counted := gate80
	counted.Rule, counted.PassRate, counted.Max = RuleCount, 0, 10
	allowed := gate80
	allowed.AllowUndecided = true
	never := gate80
	never.Stop = StopNever
	bad := gate80
	bad.PassRate = 1.5
	p, f, e, r := func(n int) string { return strings.Repeat("p", n) }, func(n int) string { return strings.Repeat("f", n) },
		func(n int) string { return strings.Repeat("e", n) }, func(n int) string { return strings.Repeat("r", n) }
	for _, c := range []struct {
		name    string
		spec    GateSpec
		letters string
		want    string // verdict, reason, counted, exit
	}{
		{"all pass", gate80, p(18), "passed line 18 0"},
		{"one too few", gate80, p(17), "undecided stopped 17 3"},
		{"more than it takes", gate80, p(18) + f(9), "passed line 18 0"},
		{"all fail", gate80, "fff", "failed line 3 1"},
		{"nothing ran", gate80, "", "cancelled stopped 0 3"},
		{"all were stopped", gate80, "ccc", "cancelled stopped 0 3"},
		{"stopped in the middle", gate80, p(5) + "c" + p(12), "undecided stopped 5 3"},
		{"stopped, and that may be undecided", allowed, p(5) + "c", "undecided stopped 5 3"},
		{"nothing ran, and that may be undecided", allowed, "", "cancelled stopped 0 3"},
		{"skipped", gate80, "s", "skipped skipped 0 0"},
		{"replaced", gate80, "rr" + p(10) + "r" + p(8), "passed line 18 0"},
		{"refused from the start", gate80, "rrr", "error errors 0 3"},
		{"refused too often", gate80, "p" + r(6), "error errors 1 3"},
		{"broken count as failures", gate80, p(17) + "ep", "undecided stopped 19 3"},
		{"all broke", gate80, e(50), "error errors 33 3"},
		{"one broke", gate80, p(10) + "e" + p(16), "passed line 27 0"},
		{"one look", never, p(50), "passed line 50 0"},
		{"one look, not all", never, p(49), "undecided stopped 49 3"},
		{"a count, certain", counted, "f", "failed certain 1 1"},
		{"a count, all", counted, p(10), "passed max 10 0"},
		{"a count, stopped", counted, p(9), "cancelled stopped 9 3"},
		{"a count, broke", counted, "e" + p(9), "error max 10 3"},
		{"a rule that cannot be", bad, p(18), "error errors 0 3"},
	} {
		run := gatedRun(c.spec, lettered(c.spec.Max, c.letters)...)
		g := run.Groups[0].Gate
		got := fmt.Sprint(g.Verdict, " ", g.Reason, " ", g.Counted, " ", run.ExitOfTrials())
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestAllowUndecided: what the trials could not decide may be, beside what passes; what did not run may not.
func TestAllowUndecided(t *testing.T) {
	t.Parallel()
	spec := gate80
	spec.Max = 20
	trials := lettered(20, "ppppfpppppfppppppppp")
	run := gatedRun(spec, trials...)
	if run.Status != Undecided || run.ExitOfTrials() != ExitFailed || run.Summary.Undecided != 1 {
		t.Errorf("%s, exit %d, %d undecided", run.Status, run.ExitOfTrials(), run.Summary.Undecided)
	}
	spec.AllowUndecided = true
	run = gatedRun(spec, trials...)
	if run.Status != Errored || run.ExitOfTrials() != ExitError || run.Summary.Allowed != 1 || !run.OnlyExcused() {
		t.Errorf("allowed, and nothing passed: %s, exit %d, %d allowed", run.Status, run.ExitOfTrials(), run.Summary.Allowed)
	}
	beside := trialOf(30, 1, 1, verdict(Passed, 1))
	beside.Scenario = "beside"
	run = gatedRun(spec, append(slices.Clone(trials), beside)...)
	if run.Status != Passed || run.ExitOfTrials() != ExitPassed || run.Summary.Allowed != 1 {
		t.Errorf("allowed: %s, exit %d, %d allowed", run.Status, run.ExitOfTrials(), run.Summary.Allowed)
	}
	other := trialOf(30, 1, 1, verdict(Failed, 1))
	other.Scenario = "other"
	run = gatedRun(spec, append(trials, other)...)
	if run.Status != Failed {
		t.Errorf("with a failure: %s", run.Status)
	}
}

// TestOrderOfTrials: the verdict is about the first trials by number, whatever order they end in.
func TestOrderOfTrials(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		letters := make([]byte, 50)
		for i := range letters {
			letters[i] = "pppppppfer"[rnd.IntN(10)]
		}
		trials := lettered(50, string(letters))
		want := gatedRun(gate80, trials...)
		shuffled := append([]*Trial(nil), trials...)
		rnd.Shuffle(len(shuffled), func(i, k int) { shuffled[i], shuffled[k] = shuffled[k], shuffled[i] })
		got := gatedRun(gate80, shuffled...)
		if diff := cmp.Diff(want.Groups[0].Gate, got.Groups[0].Gate); diff != "" {
			t.Fatalf("round %d, %s: %s", round, letters, diff)
		}
	}
}

// TestNeeded: no trial is needed of which the verdict could do without, and the last one always ends the group.
func TestNeeded(t *testing.T) {
	t.Parallel()
	counted := gate80
	counted.Rule, counted.PassRate, counted.Max = RuleCount, 0, 12
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, spec := range []GateSpec{gate80, counted} {
		for range 40 {
			p := NewProgress(spec)
			for n := 1; !p.Over(); {
				upTo := p.Needed()
				if upTo < n {
					t.Fatalf("%d trials ran, and no more are needed", n-1)
				}
				for ; n <= upTo; n++ {
					if p.Over() {
						t.Fatalf("over after %d trials, and %d were needed", n-1, upTo)
					}
					letter := string("ppppppppfer"[rnd.IntN(11)])
					trial := lettered(spec.Max, strings.Repeat("p", n-1)+letter)[n-1]
					p.Add(trial)
				}
			}
		}
	}
}

// TestCurtailed: a count that ends early has the verdict of all its trials, whatever those are.
func TestCurtailed(t *testing.T) {
	t.Parallel()
	const trials = 10
	for _, threshold := range []float64{0.3, 0.5, 0.7, 0.8, 1} {
		for sequence := range 1 << trials {
			early := GateSpec{Rule: RuleCount, Confidence: 0.95, Max: trials, Min: 1, Block: 1, Stop: StopEarly}
			p, whole := NewProgress(early), NewProgress(GateSpec{
				Rule: RuleCount, Confidence: 0.95, Max: trials, Min: 1, Block: 1, Stop: StopNever,
			})
			for i := range trials {
				status := Passed
				if sequence>>i&1 == 1 {
					status = Failed
				}
				trial := trialOf(i, i+1, trials, verdict(status, threshold))
				p.Add(trial)
				whole.Add(trial)
			}
			if p.Verdict() != whole.Verdict() {
				t.Fatalf("threshold %v, %010b: %s early, %s of all", threshold, sequence, p.Verdict(), whole.Verdict())
			}
		}
	}
}
