package arena_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/arena-evals/arena"
)

// misbehaving is everything that a check must not do, by the name of the check.
var misbehaving = map[string]func() (arena.Finding, error){
	"panics": func() (arena.Finding, error) { panic("boom") },
	"nils":   func() (arena.Finding, error) { var s *arena.Subject; return arena.Pass(s.Reply), nil },
	"exits":  func() (arena.Finding, error) { runtime.Goexit(); return arena.Pass(""), nil },
	"nan":    func() (arena.Finding, error) { return arena.Finding{Score: math.NaN()}, nil },
	"high":   func() (arena.Finding, error) { return arena.Finding{Score: 2}, nil },
	"details": func() (arena.Finding, error) {
		return arena.Finding{Score: 1, Details: map[string]any{"f": func() {}}}, nil
	},
	"fails": func() (arena.Finding, error) { return arena.Pass(""), errors.New("no answer") },
}

// complaints is what their verdicts say.
var complaints = map[string]string{
	"panics":  "the check panicked: boom (panic_test.go:",
	"nils":    "the check panicked: runtime error: invalid memory address or nil pointer dereference (panic_test.go:",
	"exits":   "the check ended its goroutine, as t.FailNow and runtime.Goexit do; return an error instead",
	"nan":     "the check gave the score NaN; scores are between 0 and 1",
	"high":    "the check gave the score 2; scores are between 0 and 1",
	"details": "the details of the finding cannot be written as JSON: json: unsupported type: func()",
	"fails":   "no answer",
}

func misbehave(t *testing.T) *arena.Registry {
	t.Helper()
	r := &arena.Registry{}
	for name, eval := range misbehaving {
		err := arena.Register(r, arena.CheckInfo{Name: name, Blocks: true}, func(struct{}) (arena.Check, error) {
			return arena.CheckFunc(func(context.Context, *arena.Subject) (arena.Finding, error) { return eval() }), nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// TestMisbehavingChecks holds that whatever a check does is an error verdict, and that all others are judged.
func TestMisbehavingChecks(t *testing.T) {
	t.Parallel()
	for name := range misbehaving {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := files(t, "a.yaml", `id: a
turns:
  - role: user
    content: Hello
    mock: [Hi]
    assertions:
      - {type: `+name+`, params: {}}
      - {type: contains, params: {patterns: [Hi]}}
`)
			res := run(t, arena.Options{Paths: []string{dir + "/a.yaml"}, Checks: misbehave(t)})
			if res.ExitCode != 3 || res.Status != arena.Errored {
				t.Errorf("exit code %d, %s", res.ExitCode, res.Status)
			}
			verdicts := res.Trials[0].Turns[0].Assertions
			if v := verdicts[0]; v.Status != arena.Errored || !strings.HasPrefix(v.Error, complaints[name]) || v.Type != name {
				t.Errorf("%+v", v)
			}
			if v := verdicts[1]; v.Status != arena.Passed {
				t.Errorf("%+v", v)
			}
		})
	}
}

// TestMisbehavingGuardrails holds that a guardrail that cannot judge lets nothing through.
func TestMisbehavingGuardrails(t *testing.T) {
	t.Parallel()
	for name := range misbehaving {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := guarded(t, name, false)
			res := run(t, arena.Options{Config: dir + "/config.arena.yaml", Checks: misbehave(t)})
			tr := res.Trials[0]
			if res.ExitCode != 3 || tr.Status != arena.Errored || !strings.Contains(tr.Error, "guardrail "+name) {
				t.Errorf("%d %s %s", res.ExitCode, tr.Status, tr.Error)
			}
		})
	}
}

// guarded is a project with a guardrail over what its mock says.
func guarded(t testing.TB, guardrail string, stream bool) string {
	t.Helper()
	streaming := "false"
	if stream {
		streaming = "true"
	}
	return files(t, "config.arena.yaml", `kind: Arena
metadata: {name: guarded}
spec:
  prompt_configs: [{id: chat, file: prompt.yaml}]
  scenarios: [{file: scenario.yaml}]
`, "prompt.yaml", `kind: PromptConfig
metadata: {name: chat}
spec:
  task_type: chat
  version: v1.0.0
  system_template: You are kind.
  validators:
    - {type: `+guardrail+`, params: {}, message: I cannot say that.}
`, "scenario.yaml", `id: a
task_type: chat
streaming: `+streaming+`
turns:
  - role: user
    content: Hello
    mock: [One two SHOUT four five six.]
    assertions:
      - {type: contains, params: {patterns: [cannot]}}
`)
}
