package result

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGuardsOf(t *testing.T) {
	t.Parallel()
	firing := func(status Status, monitor bool) Firing {
		return Firing{Verdict: Verdict{Status: status}, MonitorOnly: monitor}
	}
	closed := firing(Failed, false)
	closed.StreamClosed, closed.TokensSaved = true, new(7)
	unlimited := firing(Failed, false)
	unlimited.StreamClosed = true
	trial := &Trial{Turns: []Turn{{Guardrails: []Firing{firing(Failed, true), closed}}, {Guardrails: []Firing{unlimited}}}}
	want := &GuardCount{Fired: 2, Monitored: 1, StreamsClosed: 2, TokensSaved: 7}
	if diff := cmp.Diff(want, GuardsOf(trial)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := GuardsOf(&Trial{Turns: []Turn{{Guardrails: []Firing{firing(Errored, false)}}}}); n != nil {
		t.Errorf("one that could not judge counts as %+v", n)
	}
}

// TestFailOnGuardrail asks for the exit status of runs in which guardrails fired.
func TestFailOnGuardrail(t *testing.T) {
	t.Parallel()
	trial := func(monitor bool, problem string) *Trial {
		return &Trial{Trial: 1, Trials: 1, Error: problem, Turns: []Turn{{Guardrails: []Firing{
			{Verdict: Verdict{Status: Failed}, MonitorOnly: monitor},
		}}}}
	}
	for _, tc := range []struct {
		name   string
		failOn []string
		trial  *Trial
		want   int
	}{
		{"the default", nil, trial(false, ""), ExitPassed},
		{"asked for", []string{FailOnGuardrail}, trial(false, ""), ExitFailed},
		{"only watching", []string{FailOnGuardrail}, trial(true, ""), ExitPassed},
		{"none fired", []string{FailOnGuardrail}, &Trial{Trial: 1, Trials: 1}, ExitPassed},
		{"besides an error", []string{FailOnError, FailOnGuardrail}, trial(false, "down"), ExitFailed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var c Collector
			tc.trial.Settle()
			c.Add(tc.trial)
			run := &Run{Planned: 1, FailOn: tc.failOn}
			c.Finish(run)
			if got := run.Exit(false); got != tc.want {
				t.Errorf("exit status %d, want %d", got, tc.want)
			}
		})
	}
}

func TestFiringAsJSON(t *testing.T) {
	t.Parallel()
	f := Firing{Verdict: Verdict{Type: "a", Status: Failed}, Direction: "input", Action: Blocked, TokensSaved: new(3)}
	b, err := json.Marshal(&f)
	if err != nil {
		t.Fatal(err)
	}
	var back Firing
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f, back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
