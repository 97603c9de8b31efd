package arena_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/arena-evals/arena"
)

// TestMain fails when anything that the facade starts is left behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// priceParams are the parameters of the check price.
type priceParams struct {
	Currency string  `param:"currency,required" words:"EUR,USD" doc:"In which currency."`
	Most     float64 `param:"most" default:"1000" above:"0" doc:"The highest price."`
}

// prices is a registry with the check price: the reply names a price that is not too high.
func prices(t testing.TB) *arena.Registry {
	t.Helper()
	r := &arena.Registry{}
	info := arena.CheckInfo{Name: "price", Aliases: []string{"costs"}, Summary: "The reply names a price."}
	err := arena.Register(r, info, func(p priceParams) (arena.Check, error) {
		pattern := regexp.MustCompile(`([0-9.]+) ` + p.Currency)
		return arena.CheckFunc(func(_ context.Context, s *arena.Subject) (arena.Finding, error) {
			found := pattern.FindStringSubmatch(s.Reply)
			if found == nil {
				return arena.Fail("no price in " + p.Currency), nil
			}
			price, err := strconv.ParseFloat(found[1], 64)
			if err != nil {
				return arena.Finding{}, err
			}
			if price > p.Most {
				return arena.Finding{Explanation: fmt.Sprintf("%v is more than %v", price, p.Most)}, nil
			}
			return arena.Finding{Score: 1, Details: map[string]any{"price": price}}, nil
		}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// files writes files, given as name and content by turns, into a new folder.
func files(t testing.TB, pairs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		path := filepath.Join(dir, filepath.FromSlash(pairs[i]))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(pairs[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run runs, and fails the test for everything that keeps a run from beginning.
func run(t testing.TB, opts arena.Options) *arena.Result {
	t.Helper()
	if opts.Getenv == nil {
		opts.Getenv = func(string) (string, bool) { return "", false }
	}
	res, err := arena.Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestRun(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	var events []string
	res := run(t, arena.Options{
		Paths: []string{"testdata/facade/scenarios"}, Checks: prices(t), Out: out,
		OnEvent: func(e arena.Event) {
			if e.Kind == arena.EventVerdict || e.Kind == arena.EventTrialCompleted {
				data, err := e.Data()
				if err != nil || !strings.Contains(string(data), `"status":"`) {
					t.Errorf("%s: %s %v", e.Kind, data, err)
				}
				events = append(events, fmt.Sprint(e.Kind, " ", e.Turn, " ", e.Done != nil))
			}
		},
	})
	if res.ExitCode != 1 || res.Status != arena.Failed || len(res.Trials) != 1 || res.Planned != 1 {
		t.Fatalf("%+v", res)
	}
	tr := res.Trials[0]
	if tr.ID != "refund/mock/default" || tr.Status != arena.Failed || len(tr.Turns) != 2 {
		t.Errorf("%+v", tr)
	}
	first, second := tr.Turns[0].Assertions[0], tr.Turns[1].Assertions[0]
	if first.Status != arena.Passed || fmt.Sprint(first.Details["price"]) != "49.99" {
		t.Errorf("%+v", first)
	}
	if second.Type != "price" || second.Status != arena.Failed || second.Position.Line != 14 {
		t.Errorf("%+v", second)
	}
	want := `turn 2
  user: And in dollars?
  agent: It is 54 USD.
testdata/facade/scenarios/refund.yaml:14: turn 2: price: prices are in euro
    no price in EUR`
	if diff := cmp.Diff(want, filepath.ToSlash(tr.Failure())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantEvents := []string{"verdict 0 false", "verdict 1 false", "trial.completed -1 true"}
	if diff := cmp.Diff(wantEvents, events); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, name := range append(res.Reports, filepath.Join(out, "journal.jsonl")) {
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	dir := files(t, "a.yaml", `id: a
turns:
  - role: user
    content: Hello
    mock: [Hi]
    assertions:
      - {type: price, params: {curency: EUR}}
      - {type: prise, params: {}}
`)
	_, err := arena.Run(t.Context(), arena.Options{Dir: dir, Paths: []string{"a.yaml"}, Checks: prices(t)})
	bad, ok := errors.AsType[*arena.ProblemsError](err)
	if !ok {
		t.Fatal(err)
	}
	want := []string{"7:31 missing-parameter", "7:32 unknown-parameter", "8:16 unknown-check"}
	var got []string
	for _, p := range bad.Problems {
		if !p.Warning {
			got = append(got, fmt.Sprintf("%d:%d %s", p.Position.Line, p.Position.Column, p.Code))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, text := range []string{"nothing was run", "did you mean \"price\"?", "^~~~~~~"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is not in %s", text, err)
		}
	}
}

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

// TestProjectsOfOneName has the trials of two projects told apart that are copies of each other.
func TestProjectsOfOneName(t *testing.T) {
	t.Parallel()
	const config = "kind: Arena\nmetadata: {name: shop}\nspec: {scenarios: [{file: refund.yaml}], providers: []}\n"
	const refund = "id: refund\nturns: [{role: user, content: Hi, mock: [Yes], " +
		"assertions: [{type: contains, params: {patterns: [Yes]}}]}]\n"
	suite, err := arena.Load(arena.Options{Dir: files(t,
		"a/config.arena.yaml", config, "a/refund.yaml", refund,
		"b/config.arena.yaml", config, "b/refund.yaml", refund,
	), Paths: []string{"a/config.arena.yaml", "b/config.arena.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	defer suite.Close()
	var ids []string
	for _, p := range suite.Trials() {
		ids = append(ids, p.ID)
	}
	want := []string{"a/config.arena.yaml:refund/mock/default", "b/config.arena.yaml:refund/mock/default"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	res, err := suite.Run(t.Context(), ids[1])
	if err != nil || len(res.Trials) != 1 {
		t.Errorf("%+v, %v; want one trial", res, err)
	}
}

// TestRunWritesNoSecret has a model repeat a key of the project: no file of the results shows it.
func TestRunWritesNoSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"config.arena.yaml": `kind: Arena
metadata: {name: shop}
spec:
  scenarios: [{file: hello.yaml}]
  provider_specs:
    fake: {type: mock, model: m}
    real: {type: openai, model: m, credential: {api_key: key-1234567}}
  providers: []
`,
		"hello.yaml": `id: hello
description: Says what it knows
providers: [fake]
turns:
  - role: user
    content: What do you know?
    mock: [It is key-1234567.]
    assertions: [{type: contains, params: {patterns: [key-1234567]}}]
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	res, err := arena.Run(t.Context(), arena.Options{Dir: dir, Config: "config.arena.yaml", Out: "out"})
	if err != nil || res.ExitCode != 0 {
		t.Fatal(res, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "out", "*"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "key-1234567") {
			t.Errorf("%s shows the key", file)
		}
	}
}
