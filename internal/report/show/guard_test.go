package show_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

func TestGuardrail(t *testing.T) {
	t.Parallel()
	v := func(status result.Status, explanation, problem string) result.Verdict {
		return result.Verdict{Type: "pii", Status: status, Explanation: explanation, Error: problem}
	}
	fired := v(result.Failed, "found \"a\x1b[31m\"", "")
	for want, f := range map[string]result.Firing{
		`pii replaced the reply: found "a␛[31m"`:             {Verdict: fired, Direction: "output", Action: result.Replaced},
		`pii cut the reply: found "a␛[31m"`:                  {Verdict: fired, Direction: "output", Action: result.Cut},
		`pii answered in place of the model: found "a␛[31m"`: {Verdict: fired, Direction: "input", Action: result.Blocked},
		`pii fired: found "a␛[31m"`:                          {Verdict: fired, Direction: "output", Action: result.Recorded},
		`pii fired and only watches: found "a␛[31m"`:         {Verdict: fired, Action: result.Recorded, MonitorOnly: true},
		`pii fired`:                                         {Verdict: v(result.Failed, "", ""), Action: result.Recorded},
		`pii could not judge the reply: down`:               {Verdict: v(result.Errored, "", "down"), Action: result.Replaced},
		`pii could not judge the user's words: down`:        {Verdict: v(result.Errored, "", "down"), Direction: "input"},
		`pii cut the reply: found "a␛[31m" (stream closed)`: {Verdict: fired, Action: result.Cut, StreamClosed: true},
		`pii cut the reply (stream closed, at most 1 token saved)`: {
			Verdict: v(result.Failed, "", ""), Action: result.Cut, StreamClosed: true, TokensSaved: new(1),
		},
	} {
		if got := show.Guardrail(&f); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestGuardrails(t *testing.T) {
	t.Parallel()
	run := &result.Run{}
	if got := show.Guardrails(run); got != nil {
		t.Errorf("nothing fired: %q", got)
	}
	run.Summary.Guards = &result.GuardCount{Fired: 2, Monitored: 1, StreamsClosed: 1}
	want := []string{"2 guardrails fired", "1 watched", "1 stream closed"}
	if diff := cmp.Diff(want, show.Guardrails(run)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	run.FailOn = []string{result.FailOnGuardrail} // told with what else makes the run red
	if diff := cmp.Diff(want[1:], show.Guardrails(run)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"2 guardrails fired (fail_on)"}, show.RunNotes(run)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGuardNote(t *testing.T) {
	t.Parallel()
	firing := func(name string, status result.Status) result.Firing {
		return result.Firing{Verdict: result.Verdict{Type: name, Status: status}}
	}
	trial := &result.Trial{Turns: []result.Turn{{}, {Guardrails: []result.Firing{
		firing("a", result.Failed), firing("b", result.Errored), firing("a", result.Failed), firing("c\n", result.Failed),
	}}}}
	if got := show.GuardNote(trial); got != "a, c fired" {
		t.Errorf("got %q", got)
	}
	if got := show.GuardNote(&result.Trial{}); got != "" {
		t.Errorf("nothing fired: %q", got)
	}
}
