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

const judged = `id: a
turns:
  - role: user
    content: Hello
    mock: [Good morning to you.]
    assertions:
      - {type: llm_judge, params: {criteria: It is polite., rubric: Much., min_score: 0.7}}
      - {type: llm_judge, params: {criteria: It is polite., judge: strict}, min_score: 0.9}
      - {type: judge_verdict, params: {criteria: It greets., judge: strict}}
`

func judgedRun(t *testing.T, judges map[string]arena.Judge) (*arena.Result, []arena.Verdict) {
	t.Helper()
	dir := files(t, "a.yaml", judged)
	res := run(t, arena.Options{Paths: []string{dir + "/a.yaml"}, Judges: judges, Judge: "kind"})
	return res, res.Trials[0].Turns[0].Assertions
}

func TestJudge(t *testing.T) {
	t.Parallel()
	kind := arena.JudgeFunc(func(_ context.Context, q *arena.JudgeQuestion) (arena.JudgeAnswer, error) {
		if q.Judge != "kind" || q.Criteria != "It is polite." || q.Rubric != "Much." ||
			q.Text("reply") != "Good morning to you." || !strings.Contains(q.Prompt, q.Criteria) || q.System == "" {
			t.Errorf("%+v", q)
		}
		return arena.JudgeAnswer{Score: 0.75, Reasoning: "it wishes well"}, nil
	})
	strict := arena.JudgeFunc(func(context.Context, *arena.JudgeQuestion) (arena.JudgeAnswer, error) {
		return arena.JudgeAnswer{Score: 0.5, Reasoning: "it could be warmer"}, nil
	})
	res, v := judgedRun(t, map[string]arena.Judge{"kind": kind, "strict": strict})
	if v[0].Status != arena.Passed || v[0].Explanation != "it wishes well" {
		t.Errorf("%+v", v[0])
	}
	for _, v := range v[1:] {
		if v.Status != arena.Failed || *v.Score != 0.5 {
			t.Errorf("%+v", v)
		}
	}
	if len(res.Trials) != 1 || res.ExitCode != 1 || res.JudgeCostUSD == nil || *res.JudgeCostUSD != 0 {
		t.Errorf("%+v", res)
	}
}

func TestMisbehavingJudges(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]func() (arena.JudgeAnswer, error){
		"panicked: boom":                    func() (arena.JudgeAnswer, error) { panic("boom") },
		"asleep":                            func() (arena.JudgeAnswer, error) { return arena.JudgeAnswer{Score: 1}, errors.New("asleep") },
		"scores are between 0 and 1":        func() (arena.JudgeAnswer, error) { return arena.JudgeAnswer{Score: 7}, nil },
		"the score NaN; scores are between": func() (arena.JudgeAnswer, error) { return arena.JudgeAnswer{Score: math.NaN()}, nil },
	} {
		j := arena.JudgeFunc(func(context.Context, *arena.JudgeQuestion) (arena.JudgeAnswer, error) { return answer() })
		res, verdicts := judgedRun(t, map[string]arena.Judge{"kind": j, "strict": j})
		if res.ExitCode != 3 {
			t.Errorf("%s: exit code %d", want, res.ExitCode)
		}
		for _, v := range verdicts {
			if v.Status != arena.Errored || !strings.Contains(v.Error, want) || !strings.Contains(v.Error, "judge ") {
				t.Errorf("want %q: %s %q", want, v.Status, v.Error)
			}
		}
	}
}

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
	"panics":  "the check panicked: boom (check_test.go:",
	"nils":    "the check panicked: runtime error: invalid memory address or nil pointer dereference (check_test.go:",
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

// calm is a StreamChecker: nobody shouts.
type calm struct {
	partial func(text string) (float64, error)
}

func (calm) Eval(_ context.Context, s *arena.Subject) (arena.Finding, error) {
	if strings.Contains(s.Reply, "SHOUT") {
		return arena.Fail("somebody shouts"), nil
	}
	return arena.Pass("all is calm"), nil
}

func (c calm) EvalPartial(text string) (float64, error) { return c.partial(text) }

func calmRegistry(t testing.TB, partial func(string) (float64, error)) *arena.Registry {
	t.Helper()
	r := &arena.Registry{}
	err := arena.Register(r, arena.CheckInfo{Name: "calm", Blocks: true}, func(struct{}) (arena.Check, error) {
		return calm{partial}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func quiet(text string) (float64, error) {
	if strings.Contains(text, "SHOUT") {
		return 0, nil
	}
	return 1, nil
}

// TestStreamChecker closes the stream at the first word that is wrong.
func TestStreamChecker(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		dir := guarded(t, "calm", stream)
		res := run(t, arena.Options{Config: dir + "/config.arena.yaml", Checks: calmRegistry(t, quiet)})
		tr := res.Trials[0]
		if tr.Status != arena.Passed || len(tr.Turns[0].Guardrails) != 1 {
			t.Fatalf("%s\n%+v", tr.Failure(), tr)
		}
		f := tr.Turns[0].Guardrails[0]
		if f.Type != "calm" || f.Action != "replaced" || f.StreamClosed != stream || f.Status != arena.Failed {
			t.Errorf("%+v", f)
		}
		if tr.Turns[0].Assistant != "I cannot say that." {
			t.Errorf("%q", tr.Turns[0].Assistant)
		}
	}
}

// TestStreamCheckerBreaks holds that a guardrail that breaks in the middle is an error, whatever it says at the end.
func TestStreamCheckerBreaks(t *testing.T) {
	t.Parallel()
	for want, partial := range map[string]func(string) (float64, error){
		"the check panicked: boom":     func(string) (float64, error) { panic("boom") },
		"no idea":                      func(string) (float64, error) { return 1, errors.New("no idea") },
		"the check gave the score -1;": func(string) (float64, error) { return -1, nil },
	} {
		dir := guarded(t, "calm", true)
		res := run(t, arena.Options{Config: dir + "/config.arena.yaml", Checks: calmRegistry(t, partial)})
		tr := res.Trials[0]
		if res.ExitCode != 3 || !strings.Contains(tr.Error, "guardrail calm") || !strings.Contains(tr.Error, want) {
			t.Errorf("want %q: %d %s", want, res.ExitCode, tr.Error)
		}
	}
}

// TestStreamCheckerLies holds that the end of a reply is judged whatever was said of its beginning.
func TestStreamCheckerLies(t *testing.T) {
	t.Parallel()
	blind := func(string) (float64, error) { return 1, nil }
	res := run(t, arena.Options{Config: guarded(t, "calm", true) + "/config.arena.yaml", Checks: calmRegistry(t, blind)})
	turn := res.Trials[0].Turns[0]
	if len(turn.Guardrails) != 1 || turn.Guardrails[0].StreamClosed || turn.Assistant != "I cannot say that." {
		t.Errorf("%+v", turn)
	}
}
