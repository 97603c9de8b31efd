package result

import (
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/diag"
)

// isolated is a run of trials of single scenarios, "in" of which is in quarantine until a day.
func isolated(until string, failOn []string, trials ...*Trial) *Run {
	run := &Run{
		Started: time.Date(2027, 1, 31, 23, 59, 59, 0, time.UTC), FailOn: failOn, Planned: len(trials),
		Quarantines: []Quarantine{
			{Scenario: "in", Position: diag.Pos{File: "in.yaml", Line: 2}, Until: until, Reason: "not now"},
			{Scenario: "elsewhere", Position: diag.Pos{File: "in.yaml", Line: 9}, Until: "2000-01-01", Reason: "not in this run"},
		},
	}
	var c Collector
	for i, t := range trials {
		t.Index, t.Position.File, t.Provider, t.Region, t.Trial, t.Trials = i, t.Scenario+".yaml", "p", "default", 1, 1
		t.ID = t.Scenario + "/p/default"
		c.Add(t)
	}
	c.Finish(run)
	return run
}

// TestQuarantine: what is in quarantine makes no run red and none green, until it is over; then it does both.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	in := func(s Status) *Trial { return &Trial{Scenario: "in", Status: s} }
	other := func(s Status) *Trial { return &Trial{Scenario: "other", Status: s} }
	fired := in(Passed)
	fired.Turns = []Turn{{Guardrails: []Firing{{Verdict: Verdict{Status: Failed}}}}}
	flaky := in(Passed)
	flaky.Flaky = true
	for _, c := range []struct {
		name   string
		until  string
		failOn []string
		trials []*Trial
		want   Status
	}{
		{"a failure", "2027-01-31", nil, []*Trial{in(Failed), other(Passed)}, Passed},
		{"an error", "2027-01-31", nil, []*Trial{in(Errored), other(Passed)}, Passed},
		{"a pass", "2027-01-31", nil, []*Trial{in(Passed), other(Passed)}, Passed},
		{"beside a failure", "2027-01-31", nil, []*Trial{in(Passed), other(Failed)}, Failed},
		{"beside what was skipped", "2027-01-31", nil, []*Trial{in(Passed), other(Skipped)}, Errored},
		{"nothing else", "2027-01-31", nil, []*Trial{in(Passed)}, Errored},
		{"stopped", "2027-01-31", nil, []*Trial{in(Cancelled), other(Passed)}, Cancelled},
		{"skipped, which fails", "2027-01-31", []string{FailOnSkipped}, []*Trial{in(Skipped), other(Passed)}, Passed},
		{"a guardrail, which fails", "2027-01-31", []string{FailOnGuardrail}, []*Trial{fired, other(Passed)}, Passed},
		{"flaky, which fails", "2027-01-31", []string{FailOnFlaky}, []*Trial{flaky, other(Passed)}, Passed},
		{"over, and a failure", "2027-01-30", nil, []*Trial{in(Failed), other(Passed)}, Failed},
		{"over, and an error", "2027-01-30", nil, []*Trial{in(Errored), other(Passed)}, Failed},
		{"over, and a pass", "2027-01-30", nil, []*Trial{in(Passed), other(Passed)}, Failed},
		{"over, and alone", "2027-01-30", nil, []*Trial{in(Passed)}, Failed},
		{"over, and not in the run", "2027-01-30", nil, []*Trial{other(Passed)}, Passed},
		{"no day", "never", nil, []*Trial{in(Passed), other(Passed)}, Failed},
	} {
		run := isolated(c.until, c.failOn, c.trials...)
		if run.Status != c.want {
			t.Errorf("%s: %s, want %s", c.name, run.Status, c.want)
		}
		if green := c.want == Passed; (run.Exit(false) == ExitPassed) != green {
			t.Errorf("%s: exit status %d", c.name, run.Exit(false))
		}
		if n := len(run.Quarantines); n > 1 || n == 1 && run.Quarantines[0].Trials.Trials != 1 {
			t.Errorf("%s: %+v", c.name, run.Quarantines)
		}
	}
}

// TestQuarantineOver: the last day is the whole of it, in UTC, wherever the clock stands.
func TestQuarantineOver(t *testing.T) {
	t.Parallel()
	west := time.FixedZone("west", -8*60*60)
	for at, over := range map[time.Time]bool{
		time.Date(2027, 1, 31, 23, 59, 59, 999, time.UTC): false,
		time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC):       true,
		time.Date(2027, 1, 31, 15, 59, 59, 0, west):       false,
		time.Date(2027, 1, 31, 16, 0, 0, 0, west):         true,
	} {
		if QuarantineOver("2027-01-31", at) != over {
			t.Errorf("%s: over is %v", at, !over)
		}
	}
}
