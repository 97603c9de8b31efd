package arena_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena"
)

// stall is a project with an agent, a tool and a judge that are all of the program.
var stall = map[string][]byte{
	"stock.tool.yaml": []byte("name: stock\ndescription: How many there are.\nmode: mock\n" +
		"input_schema: {type: object, properties: {article: {type: string}}, required: [article]}\n"),
	"prompt.yaml": []byte("task_type: stall\nsystem_template: You sell.\nallowed_tools: [stock]\n"),
	"s.yaml": []byte("id: s\ntask_type: stall\nturns:\n- role: user\n  content: How many kettles?\n  assertions:\n" +
		"  - {type: contains, params: {patterns: ['7']}}\n  - {type: llm_judge, params: {criteria: polite}, min_score: 0.5}\n"),
}

// stallholder counts the calls of what it has in the program.
type stallholder struct{ agent, tool, judge atomic.Int64 }

func (s *stallholder) options(says string) arena.Options {
	return arena.Options{
		Files:  stall,
		Getenv: noEnv,
		Agents: map[string]arena.Agent{"me": arena.AgentFunc(
			func(_ context.Context, req *arena.Request, _ func(string) error) (*arena.Reply, error) {
				s.agent.Add(1)
				last := req.Messages[len(req.Messages)-1]
				if last.Role != arena.Tool {
					return &arena.Reply{ToolCalls: []arena.ToolCall{{Name: "stock", Args: map[string]any{"article": "kettle"}}}}, nil
				}
				return &arena.Reply{Text: says + last.ToolResult.Text}, nil
			})},
		Tools: map[string]arena.ToolFunc{"stock": func(context.Context, map[string]any) (any, error) {
			s.tool.Add(1)
			return 7, nil
		}},
		Judges: map[string]arena.Judge{"strict": arena.JudgeFunc(
			func(context.Context, *arena.JudgeQuestion) (arena.JudgeAnswer, error) {
				s.judge.Add(1)
				return arena.JudgeAnswer{Score: 0.75, Reasoning: "kind"}, nil
			})},
	}
}

func (s *stallholder) calls() [3]int64 {
	return [3]int64{s.agent.Load(), s.tool.Load(), s.judge.Load()}
}

// said is what a run found, in short.
func said(t *testing.T, res *arena.Result) (list []string) {
	t.Helper()
	for _, trial := range res.Trials {
		list = append(list, fmt.Sprint(trial.ID, " ", trial.Status))
		for _, turn := range trial.Turns {
			list = append(list, turn.Assistant)
			for _, v := range turn.Assertions {
				list = append(list, fmt.Sprint(v.Type, " ", v.Status, " ", v.Explanation))
			}
		}
	}
	return list
}

// TestReplayCallsNobody: what was recorded of agents, tools and judges of the program is replayed without a call.
func TestReplayCallsNobody(t *testing.T) {
	t.Parallel()
	dir, s := t.TempDir(), &stallholder{}
	opts := s.options("There are ")
	opts.Record = dir
	recorded := run(t, opts)
	if got := s.calls(); recorded.Status != arena.Passed || got != [3]int64{2, 1, 1} {
		t.Fatalf("%s, calls %v: %v", recorded.Status, got, said(t, recorded))
	}
	opts.Record, opts.Replay = "", dir
	opts.Hooks = []arena.ProviderHook{&stopper{}}
	replayed := run(t, opts)
	if diff := cmp.Diff(said(t, recorded), said(t, replayed)); diff != "" || s.calls() != [3]int64{2, 1, 1} {
		t.Errorf("calls %v (-recorded +replayed):\n%s", s.calls(), diff)
	}
	opts.Files = map[string][]byte{}
	for name, text := range stall {
		opts.Files[name] = []byte(strings.ReplaceAll(string(text), "kettles", "pans"))
	}
	changed := run(t, opts)
	if why := changed.Trials[0].Failure(); changed.ExitCode == 0 || !strings.Contains(why, "with Options.Record") {
		t.Errorf("another question: %s, %s", changed.Status, why)
	}
}

// TestRecordAsksTheProgramAgain: code may have changed, so that what it said before is not taken for what it says.
func TestRecordAsksTheProgramAgain(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{"": "Now 7", "new": "Now 7", "all": "Now 7", "once": "Then 7", "none": "Then 7"} {
		dir, s := t.TempDir(), &stallholder{}
		opts := s.options("Then ")
		opts.Record = dir
		run(t, opts)
		opts = s.options("Now ")
		opts.Record, opts.RecordMode = dir, mode
		res := run(t, opts)
		if got := res.Trials[0].Turns[0].Assistant; got != want {
			t.Errorf("mode %q: got %q, want %q", mode, got, want)
		}
		calls := map[string]int64{"Now 7": 2, "Then 7": 1}[want]
		if got := s.calls(); got != [3]int64{2 * calls, calls, calls} {
			t.Errorf("mode %q: calls %v", mode, got)
		}
	}
}

// TestReplayMissing runs trials without a recording where that is asked for, and else says how to record them.
func TestReplayMissing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	opts := (&stallholder{}).options("")
	opts.Replay = dir
	if _, err := arena.Run(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "no such folder") {
		t.Errorf("no recording: %v", err)
	}
	opts.ReplayMissing = "record"
	if res := run(t, opts); res.Status != arena.Passed {
		t.Errorf("to be recorded: %v", said(t, res))
	}
	opts.ReplayMissing, opts.Agents = "", map[string]arena.Agent{"me": nobody{}}
	if res := run(t, opts); res.Status != arena.Passed {
		t.Errorf("recorded: %v", said(t, res))
	}
	opts.Trials = 2
	if res := run(t, opts); res.ExitCode == 0 || !strings.Contains(res.Trials[1].Error, "with Options.Record") {
		t.Errorf("two trials, of which one is recorded: %v", said(t, res))
	}
}

// nobody is an agent that is not to be asked.
type nobody struct{}

func (nobody) Answer(context.Context, *arena.Request, func(string) error) (*arena.Reply, error) {
	return nil, errors.New("the agent was asked")
}

// TestCache: a model is asked the same question once, whatever hooks are around it.
func TestCache(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"good day"},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5},"model":"m"}`)
	}))
	defer server.Close()
	opts := arena.Options{
		Dir: t.TempDir(), Cache: "replies", Getenv: noEnv, Files: map[string][]byte{
			"p.provider.yaml": fmt.Appendf(nil, "id: p\ntype: openai\nmodel: m\nbase_url: %s/v1\ncredential: {api_key: k-1}\n", server.URL),
			"s.yaml": []byte("id: s\nturns:\n- role: user\n  content: hi\n  assertions: " +
				"[{type: contains, params: {patterns: [good]}}]\n"),
		},
	}
	for range 2 {
		if res := run(t, opts); res.Status != arena.Passed {
			t.Fatal(said(t, res), res.Trials[0].Failure())
		}
	}
	if asked.Load() != 1 {
		t.Errorf("%d calls, want 1", asked.Load())
	}
	if err := os.WriteFile(filepath.Join(opts.Dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	opts.Cache = "file"
	if _, err := arena.Run(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "Cache") {
		t.Errorf("a file in the place of the folder: %v", err)
	}
}

func TestRecordOptionsThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	for want, opts := range map[string]arena.Options{
		"exclude each other":      {Record: "a", Replay: "b"},
		`RecordMode cannot be`:    {Record: "a", RecordMode: "some"},
		"RecordMode needs":        {RecordMode: "all"},
		"ReplayMissing cannot be": {Replay: "a", ReplayMissing: "skip"},
		"ReplayMissing needs":     {Record: "a", ReplayMissing: "record"},
		"Redact needs":            {Redact: []string{"card"}},
		"leave out the Cache":     {Record: "a", Cache: "b", Redact: []string{"card"}},
		"the name of a JSON":      {Record: "a", Redact: []string{"order.card"}},
		"Traces needs":            {Replay: "a", Traces: "http://localhost:4318"},
		"Metrics.Push needs":      {Replay: "a", Metrics: &arena.Metrics{Push: "http://localhost:9091"}},
	} {
		if _, err := arena.Load(opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}
