package harness_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/evidence"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/report/github"
	"github.com/arena-evals/arena/internal/report/term"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// TestFailOnIsRedInEveryReport: for every reason of fail_on, whatever writes about the run says of it what the exit
// status does.
func TestFailOnIsRedInEveryReport(t *testing.T) {
	t.Parallel()
	one := func(change func(*result.Trial)) func() *result.Run {
		return func() *result.Run {
			trial := &result.Trial{ID: "a", Scenario: "a", Provider: "p", Trial: 1, Trials: 1, Turns: []result.Turn{{User: "hi"}}}
			change(trial)
			trial.Settle()
			return resulttest.NewRun("reds", trial)
		}
	}
	reasons := map[string]struct {
		run  func() *result.Run
		want result.Status
	}{
		result.FailOnAssertion: {resulttest.OneFailed, result.Failed},
		result.FailOnError:     {resulttest.Errored, result.Errored},
		result.FailOnGuardrail: {one(func(t *result.Trial) {
			t.Turns[0].Guardrails = []result.Firing{{Verdict: result.Verdict{Type: "length", Status: result.Failed}}}
		}), result.Failed},
		result.FailOnSkipped: {one(func(t *result.Trial) { t.Status, t.Skip = result.Skipped, "not today" }), result.Failed},
		result.FailOnFlaky: {one(func(t *result.Trial) {
			t.Earlier = []result.Attempt{{Reply: "no", Why: []string{"contains"}}}
		}), result.Failed},
		result.FailOnWarning: {func() *result.Run {
			run := one(func(*result.Trial) {})()
			run.Warnings = []string{"careful"}
			return run
		}, result.Failed},
		result.FailOnRegressed: {func() *result.Run {
			run := one(func(*result.Trial) {})()
			run.Against = &result.Against{File: "b.json", Verdict: evidence.Regressed, Compared: 1, Together: true}
			return run
		}, result.Failed},
		result.FailOnEval: {one(func(t *result.Trial) {
			t.Evals = []result.EvalResult{{ID: "e", Type: "llm_judge", Trigger: "every_turn", Error: "the judge is down"}}
		}), result.Errored},
	}
	for _, word := range result.FailOnWords {
		reason, err := result.FailOnReason(word)
		if err != nil {
			t.Fatal(err)
		}
		c, known := reasons[reason]
		if !known {
			t.Errorf("%s is not tried", reason)
			continue
		}
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			run := c.run()
			without := run.Status
			run.FailOn = []string{reason}
			run.Settle()
			if run.Status != c.want || run.Exit(false) == result.ExitPassed {
				t.Fatalf("status %s, exit %d, want %s", run.Status, run.Exit(false), c.want)
			}
			if run.ByFailOn() != (without != c.want) {
				t.Errorf("by fail_on: %v, without it %s", run.ByFailOn(), without)
			}
			sign := map[result.Status]string{result.Failed: "✗", result.Errored: "!"}[c.want]
			said := written(t, run)
			for writer, want := range map[string]string{
				"results.json": `"status": "` + c.want.String() + `"`, "results.md": "## " + sign + " reds: ",
				"report.html": "<title>" + sign + " ", "github": "::error ", "metrics": `status="` + c.want.String() + `"} 1`,
				"event": `"status":"` + c.want.String() + `"`,
			} {
				if text := strings.ReplaceAll(said[writer], " support: ", " reds: "); !strings.Contains(text, want) {
					t.Errorf("%s does not say %s:\n%.600s", writer, want, text)
				}
			}
			if junit, _, _ := strings.Cut(said["junit.xml"], "<testsuite "); strings.Contains(junit, `failures="0" errors="0"`) {
				t.Errorf("nothing failed in junit.xml:\n%s", junit)
			}
			if run.ByFailOn() {
				for _, writer := range []string{"results.md", "report.html", "github", "terminal", "junit.xml"} {
					if !strings.Contains(said[writer], "(fail_on)") {
						t.Errorf("%s does not say that fail_on is the reason:\n%.600s", writer, said[writer])
					}
				}
				if strings.Contains(said["github"], "::notice") {
					t.Errorf("a red run is only noticed: %s", said["github"])
				}
			}
		})
	}
}

// written is what everything that writes about a run says of it.
func written(t *testing.T, run *result.Run) map[string]string {
	t.Helper()
	dir := t.TempDir()
	out := harness.NewOutputs(harness.Choice{Dir: dir})
	if err := out.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := out.WriteAll(run); err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, name := range []string{"results.json", "results.md", "report.html", "junit.xml"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		said[name] = string(b)
	}
	var b bytes.Buffer
	if err := github.Write(&b, run, nil); err != nil {
		t.Fatal(err)
	}
	said["github"] = b.String()
	b.Reset()
	if err := term.New(term.Options{Out: &b}).Finish(run); err != nil {
		t.Fatal(err)
	}
	said["terminal"] = b.String()
	event, err := json.Marshal(result.RunCompletedOf(run, result.At{Time: time.Unix(0, 0)}, false))
	if err != nil {
		t.Fatal(err)
	}
	said["event"] = string(event)
	m, err := metrics.New(metrics.Options{Namespace: "arena"})
	if err != nil {
		t.Fatal(err)
	}
	m.Start(run)
	m.Finish(run)
	b.Reset()
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	said["metrics"] = b.String()
	return said
}
