package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// composing are the files of a project with one composition, whose steps and turns a test chooses.
func composing(steps, turns string) map[string]string {
	return map[string]string{
		"config.arena.yaml": `
kind: Arena
metadata: {name: shop}
spec:
  prompt_configs: [{file: help.yaml}, {file: guarded.yaml}]
  providers: [{file: model.yaml}]
  tools: [{file: find.yaml}, {file: pay.yaml}]
  scenarios: [{file: talk.yaml}]
  memory: {}
  workflow:
    version: 1
    entry: desk
    states:
      desk: {orchestration: composition, composition: answer, on_event: {Done: closed, More: desk}, max_visits: 9, on_max_visits: closed}
      closed: {prompt_task: help, terminal: true}
  compositions:
    answer:
      version: 1
      steps:
` + indented(steps, "        "),
		"help.yaml": "task_type: help\nsystem_template: Help {{name}}.\nallowed_tools: [find, pay]\nvariables: [{name: name, type: string, default: us}]\n",
		"guarded.yaml": "task_type: guarded\nsystem_template: Careful.\nvalidators: [{type: banned_words, enabled: true, params: {words: [rude]}, message: Sorry.}]\n" +
			"tool_policy: {max_tool_calls_per_turn: 1}\nallowed_tools: [find]\n",
		"model.yaml": "kind: Provider\nmetadata: {name: model}\nspec: {type: mock, model: m}\n",
		"find.yaml":  "kind: Tool\nmetadata: {name: find}\nspec: {description: Finds., mode: mock, input_schema: {type: object}, mock_result: {n: 2}}\n",
		"pay.yaml":   "kind: Tool\nmetadata: {name: pay}\nspec: {description: Pays., mode: client, client: {}, input_schema: {type: object}, mock_result: {paid: true}}\n",
		"talk.yaml":  "kind: Scenario\nmetadata: {name: talk}\nspec:\n  turns:\n" + indented(turns, "    "),
	}
}

func indented(text, by string) string {
	return by + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+by) + "\n"
}

// runComposed runs the one trial of such a project, and returns its events too.
func runComposed(t testing.TB, files map[string]string, client answer) (*result.Trial, *listener) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	suite, diags := checks.Load(scenario.Options{Config: filepath.Join(dir, "config.arena.yaml")})
	open := func(*scenario.Project, *scenario.Provider) (providers.Provider, bool, error) {
		return client, true, nil
	}
	plan := Make(suite, PlanOptions{Jobs: 1, Open: open}, diags)
	for _, d := range diags.Sorted() {
		if d.Severity == diag.Error {
			t.Fatalf("%s: %s", d.Pos, d.Msg)
		}
	}
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	opts := options(1)
	opts.Events, opts.Started = true, start
	journal, err := result.NewJournal(nothing{}, result.JournalHeader{})
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{start: start}
	if err := Run(t.Context(), plan, opts, journal, l); err != nil {
		t.Fatal(err)
	}
	for _, e := range l.events {
		if done, ok := e.(result.TrialDone); ok {
			return done.Trial, l
		}
	}
	t.Fatal("no trial ended")
	return nil, nil
}

// nothing is a journal that nobody reads.
type nothing struct{}

func (nothing) Write(b []byte) (int, error)       { return len(b), nil }
func (nothing) ReadAt([]byte, int64) (int, error) { return 0, nil }
func (nothing) Sync() error                       { return nil }

// inSteps answers by the step: a text, or for the rounds of an agent a list of replies.
func inSteps(replies map[string][]chat.Reply) answer {
	return func(_ context.Context, req *chat.Request) (chat.Reply, error) {
		rounds, ok := replies[req.Origin.Step]
		if !ok || req.Origin.Reply >= len(rounds) {
			return chat.Reply{Content: "from " + req.Origin.Step, FinishReason: "stop"}, nil
		}
		return rounds[req.Origin.Reply], nil
	}
}

// eight are parallel steps.
func eight() string {
	var b strings.Builder
	b.WriteString("- id: all\n  kind: parallel\n  reduce: {strategy: append, into: list}\n  branches:\n")
	for i := range 8 {
		fmt.Fprintf(&b, "    - {id: s%d, kind: prompt, prompt_task: help}\n", i)
	}
	return b.String()
}

// TestParallelStepsRunAtOnce: each of eight calls waits until all of them have come. What happened is told in the same
// order in every run.
func TestParallelStepsRunAtOnce(t *testing.T) {
	t.Parallel()
	var want []string
	for range 5 {
		var all sync.WaitGroup
		all.Add(8)
		trial, heard := runComposed(t, composing(eight(), `- {role: user, content: Hello}`), func(_ context.Context, req *chat.Request) (chat.Reply, error) {
			all.Done()
			all.Wait()
			return chat.Reply{Content: req.Origin.Step, FinishReason: "stop", LatencyMS: 50, Usage: chat.Usage{InputTokens: 1}}, nil
		})
		if trial.Status != result.Passed || trial.Turns[0].Assistant != `{"list":["s0","s1","s2","s3","s4","s5","s6","s7"]}` {
			t.Fatalf("%s %s: %s", trial.Status, trial.Error, trial.Turns[0].Assistant)
		}
		if trial.DurationMS != 50 || trial.Usage.Calls != 8 || trial.Usage.InputTokens != 8 {
			t.Errorf("%gms, %+v", trial.DurationMS, trial.Usage)
		}
		if want == nil {
			want = heard.lines
		}
		if diff := cmp.Diff(want, heard.lines); diff != "" {
			t.Errorf("other events:\n%s", diff)
		}
	}
}

// TestAPanicInAStep is an error of its trial, also where the step runs beside others.
func TestAPanicInAStep(t *testing.T) {
	t.Parallel()
	for _, steps := range []string{eight(), "- {id: s3, kind: prompt, prompt_task: help}"} {
		trial, _ := runComposed(t, composing(steps, `- {role: user, content: Hello}`), func(_ context.Context, req *chat.Request) (chat.Reply, error) {
			if req.Origin.Step == "s3" {
				panic("boom")
			}
			return chat.Reply{Content: "x"}, nil
		})
		if trial.Status != result.Errored || !strings.Contains(trial.Error, "arena crashed in this trial: boom") {
			t.Errorf("%s %s", trial.Status, trial.Error)
		}
	}
}

// TestStepsGoThroughWhatTurnsGoThrough: guardrails, limits, consent, injected failures and offers hold in steps as they
// do in turns.
func TestStepsGoThroughWhatTurnsGoThrough(t *testing.T) {
	t.Parallel()
	call := func(names ...string) chat.Reply {
		r := chat.Reply{FinishReason: "tool_calls"}
		for i, name := range names {
			r.ToolCalls = append(r.ToolCalls, chat.ToolCall{ID: fmt.Sprint(i), Name: name, Args: map[string]any{"i": i}})
		}
		return r
	}
	said := func(text string) chat.Reply { return chat.Reply{Content: text, FinishReason: "stop"} }
	hello := `- {role: user, content: Hello}`
	agent := "- {id: a, kind: agent, prompt_task: help, termination: {max_steps: 3}%s}"
	for _, tc := range []struct {
		name    string
		steps   string
		turns   string
		replies map[string][]chat.Reply
		want    string // the error, or what was said
		calls   []string
	}{
		{"a guardrail on the words of a step", "- {id: a, kind: prompt, prompt_task: guarded}", hello,
			map[string][]chat.Reply{"a": {said("How rude.")}}, "Sorry.", nil},
		{"the limit of calls in a turn", strings.Replace(fmt.Sprintf(agent, ""), "help", "guarded", 1), hello,
			map[string][]chat.Reply{"a": {call("find", "find")}}, "2 tool calls in this turn; tool_policy.max_tool_calls_per_turn allows 1", nil},
		{"a tool that the step does not list", fmt.Sprintf(agent, ", tools: [find]"), hello,
			map[string][]chat.Reply{"a": {call("pay"), said("ok")}}, "ok", []string{"a pay: tool pay is not offered in the step a"}},
		{"a tool of arena's own that the step does not list", fmt.Sprintf(agent, ", tools: [find]"), hello,
			map[string][]chat.Reply{"a": {call("workflow__transition"), said("ok")}}, "ok",
			[]string{"a workflow__transition: tool workflow__transition is not offered in the step a"}},
		{"consent that is denied", "- {id: a, kind: tool, tool: pay}", "- {role: user, content: Hello, consent_overrides: {pay: deny}}", nil,
			"step a: tool pay: pay was not run: the user declined it", []string{"a pay: pay was not run: the user declined it"}},
		{"a failure that is injected", "- {id: a, kind: tool, tool: find, modifiers: {retry: {max_attempts: 2}}}",
			"- {role: user, content: Hello, chaos: {tool_failures: [{tool: find, mode: error, message: no luck}]}}", nil,
			"step a: tool find: no luck", []string{"a find: no luck", "a find: no luck"}},
		{"a prompt step that calls a tool", "- {id: a, kind: prompt, prompt_task: help}", hello,
			map[string][]chat.Reply{"a": {call("find")}}, "step a: the model called a tool in a prompt step, which offers none", nil},
		{"an agent that is stopped by a tool", "- {id: a, kind: agent, prompt_task: help, termination: {tool_called: find}}", hello,
			map[string][]chat.Reply{"a": {{Content: "found", ToolCalls: call("find").ToolCalls}, said("more")}}, "found", []string{"a find"}},
		{"an empty reply", "- {id: a, kind: prompt, prompt_task: help}", hello,
			map[string][]chat.Reply{"a": {said("")}}, "step a: the model answered with an empty text", nil},
		{"the output of a tool keeps its type", "- {id: a, kind: tool, tool: find}\n- {id: b, kind: branch, predicate: {path: \"${a.output.n}\", op: greater_than, value: 1}, then: c}\n- {id: c, kind: prompt, prompt_task: help}",
			hello, nil, "from c", []string{"a find"}},
		{"a predicate that compares no numbers", "- {id: a, kind: prompt, prompt_task: help}\n- {id: b, kind: branch, predicate: {path: input, op: less_than, value: 1}, then: c}\n- {id: c, kind: prompt, prompt_task: help}",
			hello, nil, `step b: input is "Hello", and less_than compares numbers`, nil},
		{"a tool step moves the workflow on", "- {id: a, kind: prompt, prompt_task: help}\n- {id: b, kind: tool, tool: workflow__transition, args: {event: Done, context: all}}\n- {id: c, kind: prompt, prompt_task: help}",
			hello, nil, "from c", []string{"b workflow__transition"}},
		{"a value that the input does not have", "- {id: a, kind: prompt, prompt_task: help, input: \"${input.order.id}\"}",
			`- {role: user, content: '{"order": 7}'}`, nil, `step a: ${input.order.id} is not there: there is no "id" in 7`, nil},
		{"the input is a value", "- {id: a, kind: tool, tool: find, args: {of: \"${input.0}\"}}", `- {role: user, content: '["x"]'}`, nil,
			`{"n":2}`, []string{"a find"}},
	} {
		trial, _ := runComposed(t, composing(tc.steps, tc.turns), inSteps(tc.replies))
		turn := &trial.Turns[0]
		got := turn.Assistant
		if trial.Error != "" {
			got = trial.Error
		}
		if !strings.Contains(got, tc.want) || (trial.Error != "") != (turn.Assistant == "") {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		var calls []string
		for _, c := range turn.ToolCalls {
			line := c.Step + " " + c.Name
			if c.Error != "" {
				line += ": " + c.Error
			}
			calls = append(calls, line)
		}
		if diff := cmp.Diff(tc.calls, calls); diff != "" {
			t.Errorf("%s: calls (-want +got):\n%s", tc.name, diff)
		}
	}
}

// TestWhatStepsAreOffered: a prompt step no tools, an agent those of its prompt that it lists and those of arena, but
// beside others none that changes what the conversation has.
func TestWhatStepsAreOffered(t *testing.T) {
	t.Parallel()
	steps := `
- {id: none, kind: prompt, prompt_task: help, output_schema: {type: object}}
- {id: all, kind: agent, prompt_task: help, termination: {max_steps: 1}}
- {id: some, kind: agent, prompt_task: help, tools: [pay, memory__*], termination: {max_steps: 1}}
- id: both
  kind: parallel
  reduce: {strategy: replace, into: last}
  branches:
    - {id: one, kind: agent, prompt_task: help, termination: {max_steps: 1}}
    - {id: two, kind: prompt, prompt_task: help}`
	var mu sync.Mutex
	offered, forms := map[string]string{}, map[string]string{}
	trial, _ := runComposed(t, composing(steps, `- {role: user, content: Hello}`), func(_ context.Context, req *chat.Request) (chat.Reply, error) {
		mu.Lock()
		defer mu.Unlock()
		var names []string
		for _, tool := range req.Tools {
			names = append(names, tool.Name)
		}
		offered[req.Origin.Step] = strings.Join(names, " ")
		forms[req.Origin.Step] = req.ReplyFormat()
		if got := req.Messages[0].Content + "/" + req.Messages[1].Content; len(req.Messages) != 2 || got != "Help us./Hello" {
			t.Errorf("%s was sent %q", req.Origin.Step, got)
		}
		return chat.Reply{Content: "{}"}, nil
	})
	if trial.Status != result.Passed {
		t.Fatal(trial.Error)
	}
	if diff := cmp.Diff(map[string]string{
		"none": "", "all": "find memory__forget memory__list memory__recall memory__remember pay workflow__transition",
		"some": "memory__forget memory__list memory__recall memory__remember pay", "one": "find memory__list memory__recall pay", "two": "",
	}, offered); diff != "" {
		t.Errorf("offered (-want +got):\n%s", diff)
	}
	if forms["none"] != "json_schema" || forms["all"] != "" {
		t.Errorf("formats %v", forms)
	}
}

// TestATimeLimitEndsSteps, all that run at once.
func TestATimeLimitEndsSteps(t *testing.T) {
	t.Parallel()
	files := composing(eight(), `- {role: user, content: Hello}`)
	files["talk.yaml"] = strings.Replace(files["talk.yaml"], "spec:\n", "spec:\n  timeout: 20ms\n", 1)
	trial, _ := runComposed(t, files, func(ctx context.Context, _ *chat.Request) (chat.Reply, error) {
		<-ctx.Done()
		return chat.Reply{}, context.Cause(ctx)
	})
	if trial.Status != result.Errored || !strings.Contains(trial.Error, "the conversation took longer than 20ms") {
		t.Errorf("%s %s", trial.Status, trial.Error)
	}
}

// TestCostLimitEndsSteps: what earlier steps cost counts.
func TestCostLimitEndsSteps(t *testing.T) {
	t.Parallel()
	files := composing("- {id: a, kind: prompt, prompt_task: help}\n- {id: b, kind: prompt, prompt_task: help}", `- {role: user, content: Hello}`)
	files["talk.yaml"] = strings.Replace(files["talk.yaml"], "spec:\n", "spec:\n  tool_policy: {max_cost_usd: 0.5}\n", 1)
	trial, _ := runComposed(t, files, func(context.Context, *chat.Request) (chat.Reply, error) {
		return chat.Reply{Content: "x", CostUSD: new(0.6)}, nil
	})
	if !strings.Contains(trial.Error, "step b: the conversation has cost $0.60; tool_policy.max_cost_usd allows $0.50") ||
		*trial.CostUSD != 0.6 {
		t.Errorf("%s, $%v", trial.Error, *trial.CostUSD)
	}
}

// BenchmarkParallelSteps is a trial of eight steps of 50 ms at once.
func BenchmarkParallelSteps(b *testing.B) {
	for b.Loop() {
		runComposed(b, composing(eight(), `- {role: user, content: Hello}`), func(ctx context.Context, _ *chat.Request) (chat.Reply, error) {
			return chat.Reply{Content: "x"}, pause.For(ctx, 50*time.Millisecond)
		})
	}
}

// TestAttemptsOfAStep: each attempt of a step is told to be one, so that a cache does not answer it with the reply for
// which the one before it failed.
func TestAttemptsOfAStep(t *testing.T) {
	t.Parallel()
	var attempts []int
	files := composing("- {id: a, kind: prompt, prompt_task: help, output_schema: {type: object}, modifiers: {retry: {max_attempts: 5}}}",
		"- {role: user, content: Hello}")
	trial, _ := runComposed(t, files, func(_ context.Context, req *chat.Request) (chat.Reply, error) {
		attempts = append(attempts, req.Origin.Attempt)
		return chat.Reply{Content: []string{"no", "no", "{}"}[len(attempts)-1], FinishReason: "stop"}, nil
	})
	if diff := cmp.Diff([]int{0, 1, 2}, attempts); diff != "" || trial.Error != "" {
		t.Errorf("attempts (-want +got):\n%s%s", diff, trial.Error)
	}
}
