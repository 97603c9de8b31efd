package arena_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena"
)

// hook is a ProviderHook made of functions, which may be nil, and notes what it sees.
type hook struct {
	name   string
	before func(*arena.Request) error
	after  func(*arena.Request, *arena.Reply) error

	mu   sync.Mutex
	seen []string
}

func (h *hook) Name() string { return h.name }

func (h *hook) BeforeCall(_ context.Context, req *arena.Request) error {
	h.note("before", req, fmt.Sprint(len(req.Messages), " ", req.Messages[len(req.Messages)-1].Text))
	if h.before == nil {
		return nil
	}
	return h.before(req)
}

func (h *hook) AfterCall(_ context.Context, req *arena.Request, reply *arena.Reply) error {
	h.note("after", req, reply.Text)
	if h.after == nil {
		return nil
	}
	return h.after(req, reply)
}

func (h *hook) note(when string, req *arena.Request, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = append(h.seen, fmt.Sprintf("%s %s/%s turn %d round %d: %s",
		when, req.Origin.Provider, req.Origin.Scenario, req.Origin.Turn, req.Origin.Round, text))
}

// interceptor is a hook that also watches the stream.
type interceptor struct {
	*hook
	chunk func(arena.Chunk) error
}

func (i *interceptor) OnChunk(_ context.Context, _ *arena.Request, c arena.Chunk) error {
	return i.chunk(c)
}

const hello = `id: a
streaming: true
turns:
  - role: user
    content: Hello
    mock: [One two SHOUT four five six.]
    assertions:
      - {type: contains, params: {patterns: [One]}}
`

func hookedRun(t *testing.T, hooks ...arena.ProviderHook) (*arena.Result, *arena.Trial) {
	t.Helper()
	dir := files(t, "a.yaml", hello)
	res := run(t, arena.Options{Paths: []string{dir + "/a.yaml"}, Hooks: hooks})
	return res, &res.Trials[0]
}

func TestHookSees(t *testing.T) {
	t.Parallel()
	h := &hook{name: "watch"}
	res, _ := hookedRun(t, h)
	want := []string{"before mock/a turn 0 round 0: 1 Hello", "after mock/a turn 0 round 0: One two SHOUT four five six."}
	if diff := cmp.Diff(want, h.seen); diff != "" || res.ExitCode != 0 {
		t.Errorf("exit code %d (-want +got):\n%s", res.ExitCode, diff)
	}
}

func TestHookChanges(t *testing.T) {
	t.Parallel()
	last := &hook{name: "last"}
	first := &hook{
		name: "first",
		before: func(req *arena.Request) error {
			req.Messages = slices.Insert(req.Messages, 0, arena.Message{Role: arena.System, Text: "Be brief."})
			return nil
		},
		after: func(_ *arena.Request, reply *arena.Reply) error {
			reply.Text = strings.ReplaceAll(reply.Text, "SHOUT", "***")
			return nil
		},
	}
	res, tr := hookedRun(t, first, last)
	if res.ExitCode != 0 || tr.Turns[0].Assistant != "One two *** four five six." {
		t.Errorf("%d %q", res.ExitCode, tr.Turns[0].Assistant)
	}
	if want := "before mock/a turn 0 round 0: 2 Hello"; last.seen[0] != want {
		t.Errorf("got %q, want %q", last.seen[0], want)
	}
	want := []string{"hook first changed what was sent to the model; hook first changed a reply"}
	if diff := cmp.Diff(want, tr.Notices); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHookRefuses holds that nothing passes that a hook refuses, or in which one breaks.
func TestHookRefuses(t *testing.T) {
	t.Parallel()
	no := errors.New("over budget")
	for want, h := range map[string]arena.ProviderHook{
		"turn 1: hook h refused the call: over budget": &hook{name: "h", before: func(*arena.Request) error { return no }},
		"turn 1: hook h refused the call: over budget ": &hook{name: "h",
			after: func(*arena.Request, *arena.Reply) error { return no }},
		"turn 1: hook h refused the call: over budget  ": &interceptor{&hook{name: "h"},
			func(arena.Chunk) error { return no }},
		"turn 1: hook h: BeforeCall panicked: boom (hook_test.go:": &hook{name: "h",
			before: func(*arena.Request) error { panic("boom") }},
		"turn 1: hook h: AfterCall panicked: boom (hook_test.go:": &hook{name: "h",
			after: func(*arena.Request, *arena.Reply) error { panic("boom") }},
		"turn 1: hook h: OnChunk panicked: boom (hook_test.go:": &interceptor{&hook{name: "h"},
			func(arena.Chunk) error { panic("boom") }},
	} {
		res, tr := hookedRun(t, h)
		if res.ExitCode != 3 || tr.Status != arena.Errored || !strings.HasPrefix(tr.Error, strings.TrimSpace(want)) {
			t.Errorf("%d %s: got %q, want %q", res.ExitCode, tr.Status, tr.Error, want)
		}
	}
}

func TestChunkInterceptorStops(t *testing.T) {
	t.Parallel()
	i := &interceptor{&hook{name: "calm"}, func(c arena.Chunk) error {
		if !strings.HasSuffix(c.SoFar, c.Text) {
			return errors.New("this is not so far")
		}
		if strings.Contains(c.SoFar, "SHOUT") {
			return fmt.Errorf("too loud: %w", arena.ErrStopStream)
		}
		return nil
	}}
	res, tr := hookedRun(t, i)
	said := tr.Turns[0].Assistant
	if res.ExitCode != 0 || !strings.HasPrefix("One two SHOUT four five six.", said) || strings.HasSuffix(said, "six.") {
		t.Errorf("%d %q %s", res.ExitCode, said, tr.Error)
	}
	if want := "hook calm closed the stream of a reply"; !slices.Contains(tr.Notices, want) {
		t.Errorf("%q is not in %q", want, tr.Notices)
	}
}

func TestHooksThatAreNone(t *testing.T) {
	t.Parallel()
	for _, h := range []arena.ProviderHook{nil, &hook{}, (*hook)(nil)} {
		if _, err := arena.Load(arena.Options{Hooks: []arena.ProviderHook{h}}); err == nil ||
			!strings.HasPrefix(err.Error(), "arena: Hooks[0]: ") {
			t.Error(err)
		}
	}
}

// TestHookSeesJudges holds that the calls of judges pass the hooks as well, and that one refused is an error verdict.
func TestHookSeesJudges(t *testing.T) {
	t.Parallel()
	dir := files(t, "config.arena.yaml", `kind: Arena
metadata: {name: judged}
spec:
  providers: [{file: grader.yaml, group: judges}, {file: agent.yaml}]
  judges: [{name: strict, provider: grader}]
  scenarios: [{file: a.yaml}]
`, "grader.yaml", `kind: Provider
metadata: {name: grader}
spec: {id: grader, type: openai, model: gpt-4o}
`, "agent.yaml", `kind: Provider
metadata: {name: agent}
spec: {id: agent, type: openai, model: gpt-4o}
`, "mock.yaml", `defaultResponse: Hi
judges: {strict: '{"score": 1}'}
`, "a.yaml", `id: a
turns:
  - {role: user, content: Hello, assertions: [{type: llm_judge, params: {criteria: It is polite.}}]}
`)
	opts := arena.Options{Config: dir + "/config.arena.yaml", MockConfig: dir + "/mock.yaml"}
	h := &hook{name: "h"}
	opts.Hooks = []arena.ProviderHook{h}
	if res := run(t, opts); res.ExitCode != 0 || len(h.seen) != 4 {
		t.Fatalf("%d %q", res.ExitCode, h.seen)
	}
	h.before = func(req *arena.Request) error {
		if req.Origin.Judge == "strict" && req.Origin.Provider == "grader" && req.Origin.Model == "gpt-4o" {
			return errors.New("no judges here")
		}
		return nil
	}
	res := run(t, opts)
	v := res.Trials[0].Turns[0].Assertions[0]
	if v.Status != arena.Errored || !strings.Contains(v.Error, "hook h refused the call: no judges here") {
		t.Errorf("%+v", v)
	}
}
