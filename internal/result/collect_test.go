package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arena-evals/arena/internal/evidence"
)

// barless leaves error bars out of a comparison.
var barless = cmpopts.IgnoreFields(AssertionStats{}, "Low", "High")

func trialOf(index, n, of int, verdicts ...Verdict) *Trial {
	t := &Trial{
		Index: index, ID: "s/p/default", Scenario: "s", Provider: "p", Region: "default", Trial: n, Trials: of,
		Turns: []Turn{{Assertions: verdicts}},
	}
	t.Settle()
	return t
}

func verdict(status Status, threshold float64) Verdict {
	v := Verdict{Type: "contains", Status: status}
	if threshold >= 0 {
		v.PassThreshold = &threshold
	}
	return v
}

func TestSettle(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		trial    Trial
		verdicts []Status
		want     Status
	}{
		{"nothing asserted", Trial{}, nil, Passed},
		{"all hold", Trial{}, []Status{Passed, Skipped}, Passed},
		{"one does not", Trial{}, []Status{Passed, Failed, Errored}, Failed},
		{"one could not be judged", Trial{}, []Status{Passed, Errored}, Errored},
		{"a status that nobody set", Trial{}, []Status{Unset}, Errored},
		{"broken", Trial{Error: "provider down"}, []Status{Passed}, Errored},
		{"broken after a failure", Trial{Error: "provider down"}, []Status{Failed}, Failed},
		{"not evaluated", Trial{}, []Status{Passed, Cancelled}, Cancelled},
		{"stopped", Trial{Status: Cancelled}, []Status{Passed}, Cancelled},
		{"stopped after a failure", Trial{Status: Cancelled}, []Status{Failed}, Failed},
		{"skipped", Trial{Status: Skipped}, nil, Skipped},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			trial := c.trial
			for _, s := range c.verdicts {
				trial.Conversation = append(trial.Conversation, Verdict{Status: s})
			}
			trial.Settle()
			if trial.Status != c.want || trial.Passed != (c.want == Passed) {
				t.Errorf("status %s, passed %v; want %s", trial.Status, trial.Passed, c.want)
			}
			for i, s := range c.verdicts {
				if got := trial.Conversation[i].Passed; got != (s == Passed || s == Skipped) {
					t.Errorf("verdict %s: passed %v", s, got)
				}
			}
		})
	}
}

// TestVariantsFoldApart: what one variant passes does not make up for what another fails.
func TestVariantsFoldApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		threshold float64
		rude      []Status // kind ones all pass
		want      Status
		tolerated int
	}{
		{"one variant always fails", 0.5, []Status{Failed, Failed, Failed}, Failed, 0},
		{"one variant fails once", 0.5, []Status{Passed, Failed, Passed}, Passed, 1},
		{"one variant fails too often", 0.5, []Status{Failed, Failed, Passed}, Failed, 0},
		{"one variant cannot be judged", 0.1, []Status{Passed, Errored, Passed}, Errored, 0},
		{"one variant is not asked", 0.5, []Status{Skipped, Skipped, Skipped}, Passed, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var collected Collector
			for i := len(c.rude)*2 - 1; i >= 0; i-- { // trials end in any order
				tone, status := "kind", Passed
				if i%2 == 1 {
					tone, status = "rude", c.rude[i/2]
				}
				trial := trialOf(i, i+1, len(c.rude)*2, verdict(status, c.threshold))
				trial.Variant = map[string]string{"tone": tone}
				collected.Add(trial)
			}
			run := &Run{Planned: len(c.rude) * 2}
			collected.Finish(run)
			if run.Status != c.want || len(run.Groups) != 1 || run.Summary.Tolerated != c.tolerated {
				t.Fatalf("%s, %d groups, %d tolerated; want %s, %d", run.Status, len(run.Groups), run.Summary.Tolerated,
					c.want, c.tolerated)
			}
			var got []string
			for _, a := range run.Groups[0].Assertions {
				got = append(got, a.Variant["tone"])
			}
			if diff := cmp.Diff([]string{"kind", "rude"}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestGroupsFoldByThreshold(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name      string
		threshold float64
		statuses  []Status
		want      Status
		tolerated int
		exit      int
	}{
		{"every trial must pass by default", -1, []Status{Passed, Failed, Passed}, Failed, 0, ExitFailed},
		{"two of three reach a half", 0.5, []Status{Passed, Failed, Passed}, Passed, 1, ExitPassed},
		{"two of three miss nine tenths", 0.9, []Status{Passed, Failed, Passed}, Failed, 0, ExitFailed},
		{"the threshold itself is enough", 0.5, []Status{Passed, Failed}, Passed, 1, ExitPassed},
		{"what was skipped leaves the rate", 1, []Status{Passed, Skipped, Passed}, Passed, 0, ExitPassed},
		{"an error is never tolerated", 0.1, []Status{Passed, Errored, Passed}, Errored, 0, ExitError},
		{"all skipped", 1, []Status{Skipped, Skipped}, Passed, 0, ExitPassed},
		{"stopped", 0.1, []Status{Passed, Cancelled}, Cancelled, 0, ExitError},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var col Collector
			for i, s := range c.statuses {
				col.Add(trialOf(i, i+1, len(c.statuses), verdict(s, c.threshold)))
			}
			run := Run{Planned: len(c.statuses)}
			col.Finish(&run)
			if len(run.Groups) != 1 {
				t.Fatalf("%d groups, want 1", len(run.Groups))
			}
			if run.Groups[0].Status != c.want || run.Status != c.want {
				t.Errorf("group %s, run %s; want %s", run.Groups[0].Status, run.Status, c.want)
			}
			if run.Summary.Tolerated != c.tolerated {
				t.Errorf("tolerated %d, want %d", run.Summary.Tolerated, c.tolerated)
			}
			if got := run.Exit(false); got != c.exit {
				t.Errorf("exit %d, want %d", got, c.exit)
			}
		})
	}
}

// Two checks of one type in one turn must not share their counts.
func TestGroupsKeyAssertionsByPlace(t *testing.T) {
	t.Parallel()
	half := 0.5
	var col Collector
	for i := range 4 {
		first, second := verdict(Passed, -1), Verdict{Type: "contains", Status: Passed, PassThreshold: &half}
		if i%2 == 1 {
			second.Status = Failed
		}
		col.Add(trialOf(i, i+1, 4, first, second))
	}
	run := Run{Planned: 4}
	col.Finish(&run)
	want := []AssertionStats{
		{Turn: 0, Index: 0, Type: "contains", Passed: 4, PassRate: 1, PassThreshold: 1, Status: Passed},
		{Turn: 0, Index: 1, Type: "contains", Passed: 2, Failed: 2, PassRate: 0.5, Flakiness: 1, PassThreshold: 0.5, Status: Passed},
	}
	if diff := cmp.Diff(want, run.Groups[0].Assertions, barless); diff != "" {
		t.Error(diff)
	}
	if g := run.Groups[0]; g.Passed != 2 || g.PassRate != 0.5 || g.Flakiness != 1 {
		t.Errorf("passed %d, rate %v, flakiness %v", g.Passed, g.PassRate, g.Flakiness)
	}
}

// TestFailOnOnlyAdds: whatever a list names, a run is never less red than without it.
func TestFailOnOnlyAdds(t *testing.T) {
	t.Parallel()
	for _, status := range []Status{Passed, Failed, Errored, Skipped, Cancelled} {
		for named := range 1 << len(FailOnWords) {
			var failOn []string
			for i, word := range FailOnWords {
				if named&(1<<i) != 0 {
					failOn = append(failOn, word)
				}
			}
			var col Collector
			trial := trialOf(0, 1, 1)
			trial.Status = status
			col.Add(trial)
			run := Run{Planned: 1}
			col.Finish(&run)
			without := run.Exit(false)
			run.FailOn, run.Against = failOn, &Against{Verdict: evidence.NoEvidence, Compared: 1}
			run.Settle()
			if got := run.Exit(false); got < without || without != ExitPassed && got != without {
				t.Errorf("%s with fail_on %v: exit %d, without %d", status, failOn, got, without)
			}
			run.Warnings = []string{"careful"}
			run.Settle()
			if got := run.Exit(false); status == Passed && (got != ExitPassed) != run.FailsOn(FailOnWarning) {
				t.Errorf("with a warning and fail_on %v: exit %d", failOn, got)
			}
			run.ExitZero = true
			if got, due := run.Exit(false), run.Exit(true); got != ExitPassed || due != ExitInterrupted {
				t.Errorf("%s with --exit-zero: exit %d, interrupted %d", status, got, due)
			}
		}
	}
}

func TestFailOnReason(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"provider_error": "error", "error": "error", "warning": "warning", "regressed": "regressed"} {
		if got, err := FailOnReason(word); got != want || err != nil {
			t.Errorf("%s: %q, %v", word, got, err)
		}
	}
	for word, want := range map[string]string{
		"guardrails": `did you mean "guardrail"?`, "": "is no reason to fail",
	} {
		if _, err := FailOnReason(word); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", word, err, want)
		}
	}
}

func TestExit(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name        string
		statuses    []Status
		planned     int
		failOn      []string
		interrupted bool
		want        int
	}{
		{"passed", []Status{Passed}, 1, nil, false, 0},
		{"skipped", []Status{Skipped}, 1, nil, false, 0},
		{"skipped counts when asked for", []Status{Skipped}, 1, []string{"skipped"}, false, 1},
		{"failed", []Status{Failed, Errored}, 2, nil, false, 1},
		{"error", []Status{Passed, Errored}, 2, nil, false, 3},
		{"cancelled", []Status{Passed, Cancelled}, 2, nil, false, 3},
		{"fewer than planned", []Status{Passed}, 2, nil, false, 3},
		{"interrupted", []Status{Failed}, 2, nil, true, 130},
		{"an empty list takes nothing away", []Status{Failed, Errored}, 2, []string{}, false, 1},
		{"a list without it takes no failure away", []Status{Failed}, 1, []string{"error"}, false, 1},
		{"a list without it takes no error away", []Status{Errored}, 1, []string{"assertion_failure"}, false, 3},
		{"empty plan", nil, 0, nil, false, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var col Collector
			for i, s := range c.statuses {
				trial := trialOf(i, 1, 1)
				trial.Status = s
				col.Add(trial)
			}
			run := Run{Planned: c.planned, FailOn: c.failOn}
			col.Finish(&run)
			if got := run.Exit(c.interrupted); got != c.want {
				t.Errorf("exit %d, want %d (run %s)", got, c.want, run.Status)
			}
		})
	}
}
