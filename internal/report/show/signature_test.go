package show_test

import (
	"fmt"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// reasons are why trials broke, each by the number of the trial.
var reasons = map[string]func(t *result.Trial, n int){
	"replay of other words": func(t *result.Trial, n int) {
		t.Error = fmt.Sprintf("tapes/case-%d_gpt-4o_default_%d-db00f87%03x.json has no answer to this: turn 1: the model "+
			"request differs from the recorded one (exchange 1) in\nmessage 1 (system) content, line 2:\n  - You are friendly.\n"+
			"  + You are grumpy.\nto record the trial again: arena run --trials 3 --record tapes --scenario case-%d", n, n%3+1, n, n)
	},
	"program that fails": func(t *result.Trial, n int) {
		t.Turns[0].Assertions = []result.Verdict{{Type: "polite", Status: result.Errored, Error: fmt.Sprintf(
			"./polite.sh: exit status 3: scenarios/case-%d.yaml: pid %d: cannot open /tmp/arena-%d/in (%d.%ds)", n, n+90, n+123456, n, n)}}
	},
	"server that is away": func(t *result.Trial, n int) {
		t.Error = fmt.Sprintf("provider m: case-%d/gpt-4o/default#%d: read tcp 127.0.0.1:%d->127.0.0.1:8080: reset after %dms",
			n, n%3+1, 41000+n, n)
	},
}

func brokenTrial(n int, reason func(*result.Trial, int)) *result.Trial {
	t := &result.Trial{
		ID: fmt.Sprintf("case-%d/gpt-4o/default#%d", n, n%3+1), Scenario: fmt.Sprintf("case-%d", n), Provider: "gpt-4o",
		Trial: n%3 + 1, Trials: 3, Status: result.Errored, Turns: []result.Turn{{}},
		Position: diag.Pos{File: fmt.Sprintf("scenarios/case-%d.yaml", n), Line: int32(n)},
	}
	reason(t, n)
	return t
}

// TestOneReasonIsOne: thirty trials that broke for one reason are one failure, and each reason is one of its own.
func TestOneReasonIsOne(t *testing.T) {
	t.Parallel()
	all := map[string]string{}
	for name, reason := range reasons {
		first := show.Signature(brokenTrial(1, reason))
		for n := 2; n <= 30; n++ {
			if other := show.Signature(brokenTrial(n, reason)); other != first {
				t.Errorf("%s: trial %d is told apart:\n%q\n%q", name, n, first, other)
				break
			}
		}
		if all[first] != "" {
			t.Errorf("%s is told as %s", name, all[first])
		}
		all[first] = name
	}
}

// TestReasonsStayApart: what makes a difference is no text of the trial's own.
func TestReasonsStayApart(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"m: 401: no key", "m: 500: no key"}, {"exit status 1", "exit status 2"}, {"no such tool a", "no such tool b"},
		{"message 1 differs", "message 2 differs"}, {"case-1 is unknown", "case-11 is unknown"},
		{"my-case-1x", "my-case-2x"},
	} {
		var signatures []string
		for _, text := range pair {
			signatures = append(signatures, show.Signature(brokenTrial(1, func(t *result.Trial, _ int) { t.Error = text })))
		}
		if signatures[0] == signatures[1] {
			t.Errorf("%q and %q are told as one", pair[0], pair[1])
		}
	}
	seen := func(text string) string {
		return show.Signature(brokenTrial(1, func(t *result.Trial, _ int) {
			t.Turns[0].Assertions = []result.Verdict{{Type: "latency", Status: result.Failed, Explanation: text}}
		}))
	}
	if seen("took 300ms") == seen("took 900ms") {
		t.Error("what the agent did is told as one")
	}
}
