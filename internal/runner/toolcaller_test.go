package runner

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/names"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/tools/open"
)

// placed compiles a check with parameters in JSON.
func placed(t *testing.T, name, params string) scenario.Placed {
	t.Helper()
	var problems diag.List
	docs := node.Parse(&node.Reader{File: "s.json", Diags: &problems}, []byte(params))
	spec := &scenario.Check{Type: name, Pos: diag.Pos{File: "s.json", Line: 1, Col: 1}, Params: docs[0]}
	compiled := (&checks.Compiler{}).Compile(spec, &problems)
	if compiled == nil {
		t.Fatal(problems.Sorted())
	}
	return scenario.Placed{Compiled: compiled}
}

func withTools(t *testing.T) *project {
	t.Helper()
	specs := []*scenario.Tool{
		{
			Meta: scenario.Meta{ID: "run_tests"}, MockResult: json.RawMessage(`{"passed": true}`),
			InputSchema: json.RawMessage(`{"type": "object", "properties": {"n": {"type": "integer"}}}`),
		},
		{Meta: scenario.Meta{ID: "remote"}, Mode: "http"},
	}
	p := &scenario.Project{Tools: specs}
	registry, err := open.Registry(p, open.World{})
	if err != nil {
		t.Fatal(err)
	}
	return &project{Project: p, tools: tools.NewKit(registry)}
}

func TestToolsThatChecksCannotCall(t *testing.T) {
	t.Parallel()
	p := withTools(t)
	p.Globals = []scenario.Placed{placed(t, "tool_exec", `{"tool": "run_test"}`)}
	chosen := []*scenario.Scenario{
		{
			Conversation: []scenario.Placed{
				placed(t, "tool_exec", `{"tool": "run_tests", "args": {"n": "3"}}`),
				placed(t, "tool_exec", `{"tool": "run_tests", "args": {"n": "many"}}`),
				placed(t, "contains", `{"patterns": "x"}`),
				{},
			},
			Turns: []scenario.Turn{{Assertions: []scenario.Placed{
				placed(t, "tool_exec", `{"tool": "remote"}`), placed(t, "tool_exec", `{"tool": "zzz"}`),
			}}},
		},
		{Skip: "later", Conversation: []scenario.Placed{placed(t, "tool_exec", `{"tool": "gone"}`)}},
	}
	var diags diag.List
	names.OpenToolUses(p.Project, chosen, &diags)
	var got []string
	for _, d := range diags.Sorted() {
		got = append(got, d.Pos.String()+" "+d.Code+": "+d.Msg+" = "+d.Hint)
	}
	want := []string{
		`s.json:1:10 bad-arguments: tool_exec: run_tests does not take these arguments: n: got string, want integer = `,
		`s.json:1:10 unknown-tool: tool_exec: there is no tool "remote" to call = this version of arena cannot run tools ` +
			`of mode http yet`,
		`s.json:1:10 unknown-tool: tool_exec: there is no tool "run_test" to call = did you mean "run_tests"?`,
		`s.json:1:10 unknown-tool: tool_exec: there is no tool "zzz" to call = list its file under tools in the arena config`,
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	diags = diag.List{}
	if names.OpenToolUses(p.Project, nil, &diags); diags.Errors() > 0 {
		t.Errorf("nothing is chosen: %v", diags.Sorted())
	}
}

// Checks call the tools of the project with the arguments as written, and measure the time.
func TestChecksReachTheTools(t *testing.T) {
	t.Parallel()
	calls := 0
	client := answer(func(context.Context, *chat.Request) (chat.Reply, error) {
		calls++
		reply := chat.Reply{Content: "done", FinishReason: "stop", LatencyMS: 1500}
		if calls == 1 {
			reply = chat.Reply{LatencyMS: 1500, ToolCalls: []chat.ToolCall{
				{ID: "1", Name: "run_tests", Args: map[string]any{"n": json.Number("3")}},
				{ID: "2", Name: "run_tests", BadArgs: "n=3"},
			}}
		}
		return reply, nil
	})
	plan := planOf(t, 1, client)
	p := withTools(t)
	p.Globals = []scenario.Placed{
		placed(t, "tool_exec", `{"tool": "run_tests", "success_pattern": "\"passed\":true"}`),
		placed(t, "valid_tool_call", `{}`),
		placed(t, "trajectory", `{"steps": [{"tool": "run_tests"}, {"tool": "run_tests"}], "max_duration_seconds": 2.9}`),
		placed(t, "workflow_complete", `{}`),
	}
	plan.spans[0].Project = p
	plan.spans[0].Prompt = &scenario.Prompt{AllowedTools: []string{"run_tests"}}
	opts := options(1)
	trial := trialOf(t.Context(), plan, opts)
	if trial.Error != "" || len(trial.Conversation) != len(p.Globals) {
		t.Fatalf("%s %+v", trial.Error, trial.Conversation)
	}
	for i, want := range []struct {
		status result.Status
		says   string
	}{
		{result.Passed, "run_tests succeeded"},
		{result.Failed, `1 of 2 calls invalid: run_tests: the arguments are not a JSON object: "n=3" in turn 1`},
		{result.Failed, "3 s, at most 2.9 allowed"},
		{result.Errored, "there is no workflow to look at"},
	} {
		v := trial.Conversation[i]
		if v.Status != want.status || !strings.Contains(v.Explanation+v.Error, want.says) {
			t.Errorf("%s: %s: %s%s", v.Type, v.Status, v.Explanation, v.Error)
		}
	}
}
