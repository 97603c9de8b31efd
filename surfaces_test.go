package arena_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/arena-evals/arena"
)

// TestSurfaces puts one check of the program on every surface, and into a composition.
func TestSurfaces(t *testing.T) {
	t.Parallel()
	dir := files(t, "config.arena.yaml", `kind: Arena
metadata: {name: everywhere}
spec:
  prompt_configs: [{id: chat, file: prompt.yaml}]
  scenarios: [{file: scenario.yaml}]
  pack_evals:
    - {id: priced, type: price, trigger: every_turn, params: {currency: EUR, most: 5}}
`, "prompt.yaml", `kind: PromptConfig
metadata: {name: chat}
spec:
  task_type: chat
  version: v1.0.0
  system_template: You are kind.
  validators:
    - {type: costs, params: {currency: EUR, most: 20}}
`, "scenario.yaml", `id: a
task_type: chat
turns:
  - role: user
    content: How much?
    mock: It is 49 EUR.
    assertions:
      - {type: not, params: {check: {type: price, params: {currency: USD}}}}
      - {type: price, params: {currency: EUR}, when: {min_tool_calls: 1}}
      - {type: guardrail_triggered, params: {guardrail: price}}
conversation_assertions:
  - {type: costs, params: {currency: EUR, most: 10}, max_score: 0}
`)
	res := run(t, arena.Options{Config: filepath.Join(dir, "config.arena.yaml"), Checks: prices(t)})
	tr := res.Trials[0]
	turn := tr.Turns[0]
	if tr.Status != arena.Passed || len(turn.Guardrails) != 1 || len(tr.Evals) != 1 {
		t.Fatalf("%s\n%+v", tr.Failure(), tr)
	}
	if g := turn.Guardrails[0]; g.Type != "costs" || g.Action != "recorded" || g.Explanation != "49 is more than 20" {
		t.Errorf("%+v", g)
	}
	if e := tr.Evals[0]; e.ID != "priced" || e.Type != "price" || e.Score == nil || *e.Score != 0 || e.Status != "" {
		t.Errorf("%+v", e)
	}
	if v := turn.Assertions[1]; v.Status != arena.Skipped {
		t.Errorf("%+v", v)
	}
}

// TestHandlerOfTheSameName holds that a program in a file cannot take the name of a check of the program.
func TestHandlerOfTheSameName(t *testing.T) {
	t.Parallel()
	dir := files(t, "runtime.yaml", `kind: RuntimeConfig
metadata: {name: programs}
spec: {evals: {costs: {command: "true"}}}
`, "a.yaml", hello)
	_, err := arena.Load(arena.Options{Paths: []string{dir + "/runtime.yaml", dir + "/a.yaml"}, Checks: prices(t)})
	if err == nil || !strings.Contains(err.Error(), `"costs" is a check that is registered; a program cannot take its place`) {
		t.Error(err)
	}
}

// TestDir holds that every relative path is one of Dir.
func TestDir(t *testing.T) {
	t.Parallel()
	dir := files(t, "a.yaml", hello)
	res := run(t, arena.Options{Dir: dir, Paths: []string{"a.yaml"}, Out: "out"})
	if res.ExitCode != 0 {
		t.Error(res.Trials[0].Failure())
	}
	if _, err := filepath.Rel(dir, res.Reports[0]); err != nil || len(read(t, filepath.Join(dir, "out", "results.json"))) == 0 {
		t.Error(err, res.Reports)
	}
}

// stopper stops the run at the first call, and lets all others pass.
type stopper struct {
	cancel func()
	once   sync.Once
}

func (*stopper) Name() string { return "stop" }

func (s *stopper) BeforeCall(ctx context.Context, _ *arena.Request) (err error) {
	s.once.Do(func() {
		s.cancel()
		<-ctx.Done()
		err = context.Cause(ctx)
	})
	return err
}

func (*stopper) AfterCall(context.Context, *arena.Request, *arena.Reply) error { return nil }

// TestStopped stops a run within its first trial: the result is there, and has nothing that passed.
func TestStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	stop := &stopper{cancel: cancel}
	suite, err := arena.Load(arena.Options{
		Paths: []string{"testdata/facade/hello.yaml"}, Trials: 3, Jobs: 1, Hooks: []arena.ProviderHook{stop},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer suite.Close()
	res, err := suite.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if res.ExitCode != 130 || res.Status != arena.Cancelled || len(res.Trials) != 3 {
		t.Errorf("%d %s %d", res.ExitCode, res.Status, len(res.Trials))
	}
	if res, err = suite.Run(t.Context(), "hello/mock/default#2"); err != nil || res.ExitCode != 0 || len(res.Trials) != 1 {
		t.Errorf("again: %+v %v", res, err)
	}
	_, err = suite.Run(t.Context(), "hello/mock/default#9")
	if err == nil || !strings.HasPrefix(err.Error(), `arena: there is no trial "hello/mock/default#9"; did you mean`) {
		t.Error(err)
	}
}

// TestOnEventPanics holds that the run ends, and is red, and keeps what finished.
func TestOnEventPanics(t *testing.T) {
	t.Parallel()
	res, err := arena.Run(t.Context(), arena.Options{
		Paths: []string{"testdata/facade/hello.yaml"}, OnEvent: func(e arena.Event) {
			if e.Done != nil {
				panic("boom")
			}
		},
	})
	if err == nil || !strings.Contains(err.Error(), "OnEvent panicked: boom") || res.ExitCode != 3 || len(res.Trials) != 1 {
		t.Errorf("%v %+v", err, res)
	}
}

// TestSlowCheck holds that a check that goes on when its trial is over ends it all the same.
func TestSlowCheck(t *testing.T) {
	t.Parallel()
	r := &arena.Registry{}
	type none struct{}
	err := arena.Register(r, arena.CheckInfo{Name: "waits"}, func(none) (arena.Check, error) {
		return arena.CheckFunc(func(ctx context.Context, _ *arena.Subject) (arena.Finding, error) {
			<-ctx.Done()
			return arena.Finding{}, context.Cause(ctx)
		}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := files(t, "a.yaml", strings.Replace(hello, "{type: contains, params: {patterns: [One]}}", "{type: waits}", 1))
	var res *arena.Result
	synctest.Test(t, func(t *testing.T) {
		res = run(t, arena.Options{Paths: []string{dir + "/a.yaml"}, Checks: r, Timeout: time.Minute})
	})
	if v := res.Trials[0].Turns[0].Assertions[0]; v.Status != arena.Errored || !strings.Contains(v.Error, "timeout") {
		t.Errorf("%+v", v)
	}
}

// TestFailOnAdds: what is named makes a run red besides what always does, and no list takes that away.
func TestFailOnAdds(t *testing.T) {
	t.Parallel()
	dir := files(t, "config.arena.yaml", `{kind: Arena, spec: {providers: [], defaults: {fail_on: [provider_error]}, scenario_specs: {
  good: {description: d, turns: [{role: user, content: Hi, mock: [Hello], assertions: [{type: contains, params: {patterns: [Hello]}}]}]},
  bad: {description: d, turns: [{role: user, content: Hi, mock: [Bye], assertions: [{type: contains, params: {patterns: [Hello]}}]}]},
  late: {description: d, skip: not now, turns: [{role: user, content: Hi, mock: [Hello]}]}}}}`)
	for _, c := range []struct {
		failOn, scenarios []string
		want, warnings    int
	}{
		{nil, []string{"bad"}, 1, 0},
		{[]string{}, []string{"bad"}, 1, 1},
		{[]string{"error"}, []string{"bad"}, 1, 0},
		{nil, []string{"good", "late"}, 0, 0},
		{[]string{"skipped"}, []string{"good", "late"}, 1, 0},
		{[]string{"warning"}, []string{"good"}, 0, 0},
	} {
		res := run(t, arena.Options{Dir: dir, FailOn: c.failOn, Scenarios: c.scenarios})
		if res.ExitCode != c.want || len(res.Warnings) != c.warnings {
			t.Errorf("%v: exit code %d, %v", c, res.ExitCode, res.Warnings)
		}
	}
}

func TestOptionsThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	_, err := arena.Load(arena.Options{
		Temperature: new(3.0), MaxTokens: new(0), Retries: new(-1), Trials: -1, OnFailure: "go", FailOn: []string{"all"},
		Judges: map[string]arena.Judge{"": nil},
	})
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 7 {
		t.Error(err)
	}
	if errors.As(err, new(*arena.ProblemsError)) {
		t.Error("it is not about files")
	}
}
