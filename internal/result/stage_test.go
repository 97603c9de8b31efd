package result

import (
	"fmt"
	"testing"
)

// TestStage: a count that stops by the baseline asks for its first trials, and for the rest where these look worse,
// whatever the order in which they end.
func TestStage(t *testing.T) {
	t.Parallel()
	spec := GateSpec{
		Rule: RuleCount, Confidence: 0.95, Max: 20, Min: 5, Block: 1, Stop: StopBaseline, Stage: &Stage{At: 5, Passed: 19, Failed: 1},
	}
	add := func(p *Progress, number int, s Status) {
		trial := &Trial{Trial: number, Trials: 20, Status: s, ID: fmt.Sprint(number)}
		if s == Errored {
			trial.Error = "no answer"
		}
		p.Add(trial)
	}
	for _, c := range []struct {
		name   string
		first  []Status
		need   int
		reason GateReason
	}{
		{"all pass", []Status{Passed, Passed, Passed, Passed, Passed}, 0, ReasonBaseline},
		{"one of five fails", []Status{Failed, Passed, Passed, Passed, Passed}, 0, ReasonBaseline},
		{"two of five fail", []Status{Failed, Passed, Passed, Failed, Passed}, 20, ""},
		{"all fail", []Status{Failed, Failed, Failed, Failed, Failed}, 20, ""},
		{"one broke, which speaks for no fall", []Status{Errored, Passed, Passed, Passed, Passed}, 0, ReasonBaseline},
	} {
		for _, backwards := range []bool{false, true} {
			p := NewProgress(spec)
			if n := p.Needed(); n != 5 {
				t.Fatalf("%d trials are needed first", n)
			}
			for i := range c.first {
				if backwards {
					i = len(c.first) - 1 - i
				}
				if p.Over() {
					t.Errorf("%s: over before", c.name)
				}
				add(p, i+1, c.first[i])
			}
			if p.Needed() != c.need || p.reason != c.reason {
				t.Errorf("%s: %d needed, %q", c.name, p.Needed(), p.reason)
			}
			if c.need == 0 {
				continue
			}
			for n := 6; n <= 20; n++ {
				add(p, n, Passed)
			}
			if p.reason != ReasonMax || p.Counts().N() != 20 {
				t.Errorf("%s: %q after %d trials", c.name, p.reason, p.Counts().N())
			}
		}
	}
	red := spec
	red.Stage = &Stage{At: 5, Passed: 11, Failed: 9, Red: true}
	mended, same, broke := NewProgress(red), NewProgress(red), NewProgress(red)
	for n := 1; n <= 5; n++ {
		add(mended, n, Passed)
		add(same, n, []Status{Passed, Failed}[n%2])
		add(broke, n, []Status{Passed, Errored}[n%2])
	}
	if mended.Verdict() != Undecided || same.Verdict() != Failed || broke.Verdict() != Errored {
		t.Errorf("red before: %s after 5 that pass, %s after 5 as then, %s after some that broke", mended.Verdict(),
			same.Verdict(), broke.Verdict())
	}
	if g := mended.result(false); !g.Unmended() || g.Allowed() {
		t.Errorf("red before, 5 pass: unmended %v, allowed %v", g.Unmended(), g.Allowed())
	}
	broken := NewProgress(spec)
	for i, s := range []Status{Errored, Passed, Passed, Passed, Passed} {
		add(broken, i+1, s)
	}
	if v := broken.Verdict(); v == Passed {
		t.Errorf("a trial that broke is %s", v)
	}
	for name, bad := range map[string]func(*GateSpec){
		"without a look": func(s *GateSpec) { s.Stage = nil }, "a look at all": func(s *GateSpec) { s.Stage = &Stage{At: 20} },
		"a look at none": func(s *GateSpec) { s.Stage = &Stage{} }, "less than nothing": func(s *GateSpec) { s.Stage = &Stage{At: 5, Failed: -1} },
		"another stop": func(s *GateSpec) { s.Stop = StopEarly },
		"a gate":       func(s *GateSpec) { s.Rule, s.PassRate, s.Max = RuleGate, 0.8, 50 },
	} {
		s := spec
		bad(&s)
		if _, err := s.Gate(); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}
