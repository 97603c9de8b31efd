package result

import (
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/baseline"
	"github.com/arena-evals/arena/internal/evidence"
)

// grouped is a tally of so many trials that passed and failed, with the checks that failed.
func grouped(name string, passed, failed int, failing ...string) *Tally {
	t := &Tally{Name: name, Asked: "it", Status: Passed, Failing: failing}
	t.Counts.Passed, t.Counts.Failed = passed, failed
	if failed > 0 {
		t.Status = Failed
	}
	return t
}

// undecided is a tally of a gate, with the checks that failed in some trials.
func undecided(name string, why GateReason, fallen ...string) *Tally {
	t := grouped(name, 30, 10)
	t.Status, t.fallen = Undecided, fallen
	t.Gate = &Gate{
		GateSpec: GateSpec{Rule: RuleGate, PassRate: 0.8, Confidence: 0.95, Max: 40, Min: 1, Block: 1, Stop: StopEarly},
		Verdict:  Undecided, Reason: why, Counted: 40, Passed: 30, Failed: 10,
	}
	return t
}

// TestKnownFailures: what fails as in the baseline is known; what fails by another check, breaks, or asks something else
// is not.
func TestKnownFailures(t *testing.T) {
	t.Parallel()
	was := baseline.New("", []baseline.Group{
		grouped("red", 1, 4, "turn 1, check 1: contains").Baseline(), grouped("green", 5, 0).Baseline(),
	})
	for _, c := range []struct {
		name   string
		now    *Tally
		change func(*Tally)
		known  bool
		healed bool
	}{
		{"as before", grouped("red", 2, 3, "turn 1, check 1: contains"), nil, true, false},
		{"another check as well", grouped("red", 2, 3, "turn 1, check 1: contains", "turn 1, check 2: regex"), nil, false, false},
		{"another check alone", grouped("red", 2, 3, "turn 1, check 2: regex"), nil, false, false},
		{"no check", grouped("red", 2, 3), nil, false, false},
		{"broken", grouped("red", 2, 3, "turn 1, check 1: contains"), func(t *Tally) { t.Status = Errored }, false, false},
		{"partly broken", grouped("red", 2, 3, "turn 1, check 1: contains"), func(t *Tally) { t.Counts.Broken = 1 }, false, false},
		{"something else is asked", grouped("red", 2, 3, "turn 1, check 1: contains"), func(t *Tally) { t.Asked = "that" }, false, false},
		{"it is not known what is asked", grouped("red", 2, 3, "turn 1, check 1: contains"), func(t *Tally) { t.Asked = "" }, false, false},
		{"green then", grouped("green", 2, 3, "turn 1, check 1: contains"), nil, false, false},
		{"green now", grouped("red", 5, 0), nil, false, true},
		{"undecided by the same check", undecided("red", ReasonMax, "turn 1, check 1: contains"), nil, true, false},
		{"undecided by no check", undecided("red", ReasonCertain), nil, true, false},
		{"undecided by another check", undecided("red", ReasonMax, "turn 1, check 2: regex"), nil, false, false},
		{"cut short", undecided("red", ReasonStopped), nil, false, false},
		{"too few recorded", undecided("red", ReasonRecording), nil, false, false},
		{"undecided and broken", undecided("red", ReasonMax), func(t *Tally) { t.Counts.Broken = 1 }, false, false},
		{"may be undecided", undecided("red", ReasonMax), func(t *Tally) { t.Gate.AllowUndecided = true }, false, false},
		{"green then, undecided now", undecided("green", ReasonMax), nil, false, false},
		{"another group", grouped("new", 2, 3, "turn 1, check 1: contains"), nil, false, false},
	} {
		if c.change != nil {
			c.change(c.now)
		}
		for _, flag := range []bool{true, false} {
			basis := &Basis{Path: "b.json", File: was, KnownFailures: flag}
			g := basis.against([]*Tally{c.now}).Groups[0]
			if g.Known != (c.known && flag) || g.Healed != c.healed {
				t.Errorf("%s, with the flag %v: %+v", c.name, flag, g)
			}
		}
	}
}

// TestAgainst: the suite is judged by the groups that ask the same, and what is not known is told.
func TestAgainst(t *testing.T) {
	t.Parallel()
	was := baseline.New("", []baseline.Group{
		grouped("a", 20, 0).Baseline(), grouped("b", 20, 0).Baseline(), grouped("gone", 1, 0).Baseline(),
	})
	basis := &Basis{Path: "b.json", File: was}
	a := basis.against([]*Tally{grouped("a", 5, 0), grouped("b", 0, 5, "x"), grouped("c", 1, 0)})
	if a.Verdict != evidence.Regressed || a.Compared != 2 || a.Alone != 1 || !slices.Equal(a.Missing, []string{"gone"}) {
		t.Errorf("%+v", a)
	}
	for i, want := range []evidence.Verdict{evidence.NoEvidence, evidence.Regressed, NewGroup} {
		if a.Groups[i].Verdict != want {
			t.Errorf("%+v, want %s", a.Groups[i], want)
		}
	}
	none := basis.against([]*Tally{grouped("c", 1, 0)})
	broke := grouped("a", 0, 0)
	broke.Counts.Broken = 5
	for _, a := range []*Against{none, basis.against([]*Tally{broke}), nil} {
		run := &Run{FailOn: []string{FailOnRegressed}, Against: a, decisive: Counts{Trials: 1, Passed: 1}}
		if run.Settle(); run.Status != Errored || run.Exit(false) != ExitError {
			t.Errorf("%+v: %s", a, run.Status)
		}
	}
}
