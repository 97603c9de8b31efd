package arena_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena"
)

const agentProject = `
kind: Arena
metadata: {name: shop}
spec:
  providers:
    - {file: model.yaml}
  prompt_configs:
    - {id: support, file: support.yaml}
  tools:
    - {file: price.tool.yaml}
  scenarios:
    - {file: price.yaml}
`

const agentModel = `
kind: Provider
metadata: {name: model}
spec: {id: model, type: openai, model: gpt-4o, base_url: "http://127.0.0.1:1/v1", credential: {credential_env: NOT_SET}}
`

const agentPrompt = `
kind: PromptConfig
metadata: {name: support}
spec:
  task_type: support
  version: v1.0.0
  system_template: You sell teapots.
  allowed_tools: [price]
`

const agentTool = `
kind: Tool
metadata: {name: price}
spec:
  name: price
  description: The price of an article.
  mode: mock
  mock_result: {eur: 49.99}
  input_schema: {type: object, properties: {article: {type: string}}, required: [article]}
`

const agentScenario = `
kind: Scenario
metadata: {name: price}
spec:
  id: price
  task_type: support
  turns:
    - role: user
      content: What does the glass teapot cost?
      assertions:
        - {type: contains, params: {patterns: ["49.99"]}}
        - {type: tools_called, params: {tools: [price]}}
        - {type: tool_args, params: {tool_name: price, expected_args: {article: glass teapot}}}
`

func agentFiles(t *testing.T) string {
	t.Helper()
	return files(t, "config.arena.yaml", agentProject, "support.yaml", agentPrompt, "price.tool.yaml", agentTool,
		"price.yaml", agentScenario, "model.yaml", agentModel)
}

// seller asks for the price, and then says what came back.
func seller(_ context.Context, req *arena.Request, emit func(string) error) (*arena.Reply, error) {
	last := req.Messages[len(req.Messages)-1]
	if r := last.ToolResult; r != nil {
		for word := range strings.SplitAfterSeq("It costs "+r.Text+".", " ") {
			if err := emit(word); err != nil {
				return nil, err
			}
		}
		return &arena.Reply{Usage: arena.Usage{InputTokens: 7, OutputTokens: 3}, CostUSD: new(0.25)}, nil
	}
	return &arena.Reply{ToolCalls: []arena.ToolCall{{Name: "price", Args: map[string]any{"article": "glass teapot"}}}}, nil
}

// TestAgents: an agent written in Go is tested in place of the models of the files, or of the one whose id it has.
func TestAgents(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"model", "mine"} {
		res, err := arena.Run(t.Context(), arena.Options{
			Dir: agentFiles(t), Agents: map[string]arena.Agent{name: arena.AgentFunc(seller)},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Trials) != 1 || res.ExitCode != 0 {
			t.Fatalf("%s: exit code %d, %d trials: %s", name, res.ExitCode, len(res.Trials), failuresOf(res))
		}
		trial := &res.Trials[0]
		want := []any{name, 7, 3, 0.25, "It costs {\n  \"eur\": 49.99\n}.", 2}
		got := []any{
			trial.Provider, trial.Usage.InputTokens, trial.Usage.OutputTokens, *trial.CostUSD, trial.Turns[0].Assistant,
			trial.Calls,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func failuresOf(res *arena.Result) string {
	var all []string
	for i := range res.Trials {
		all = append(all, res.Trials[i].Failure())
	}
	return strings.Join(all, "\n")
}

// TestAgentRequest: an agent is told the conversation, the tools, and for whom it is asked.
func TestAgentRequest(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	agent := arena.AgentFunc(func(ctx context.Context, req *arena.Request, emit func(string) error) (*arena.Reply, error) {
		mu.Lock()
		defer mu.Unlock()
		for _, m := range req.Messages {
			seen = append(seen, string(m.Role)+": "+m.Text)
		}
		o := req.Origin
		seen = append(seen, fmt.Sprintf("%s %s %d %d %d, tool %s", o.Provider, o.Scenario, o.Trial, o.Turn, o.Round, req.Tools[0].Name))
		req.Messages[0].Text = "changed" // it is the agent's own
		return seller(ctx, req, emit)
	})
	if _, err := arena.Run(t.Context(), arena.Options{
		Dir: agentFiles(t), Agents: map[string]arena.Agent{"mine": agent},
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"system: You sell teapots.", "user: What does the glass teapot cost?", "mine price 1 0 0, tool price",
		"system: You sell teapots.", "user: What does the glass teapot cost?", "assistant: ", "tool: ",
		"mine price 1 0 1, tool price",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAgentFails: what an agent does wrong makes the trial an error that says so.
func TestAgentFails(t *testing.T) {
	t.Parallel()
	for want, agent := range map[string]arena.AgentFunc{
		"no line to the shop": func(context.Context, *arena.Request, func(string) error) (*arena.Reply, error) {
			return nil, errors.New("no line to the shop")
		},
		"panic": func(context.Context, *arena.Request, func(string) error) (*arena.Reply, error) {
			panic("out of tea")
		},
		"neither a reply nor an error": func(context.Context, *arena.Request, func(string) error) (*arena.Reply, error) {
			return nil, nil
		},
		"the agent streamed one and returned two; leave Text empty": func(_ context.Context, _ *arena.Request, emit func(string) error) (*arena.Reply, error) {
			return &arena.Reply{Text: "two"}, emit("one")
		},
		"the arguments of price cannot be written as JSON": func(context.Context, *arena.Request, func(string) error) (*arena.Reply, error) {
			return &arena.Reply{ToolCalls: []arena.ToolCall{{Name: "price", Args: map[string]any{"article": func() {}}}}}, nil
		},
		"ToolCalls[0] names no tool": func(context.Context, *arena.Request, func(string) error) (*arena.Reply, error) {
			return &arena.Reply{ToolCalls: []arena.ToolCall{{}}}, nil
		},
		"says nothing": func(context.Context, *arena.Request, func(string) error) (*arena.Reply, error) {
			return &arena.Reply{}, nil
		},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			res, err := arena.Run(t.Context(), arena.Options{
				Dir: agentFiles(t), Agents: map[string]arena.Agent{"mine": agent},
			})
			if err != nil {
				t.Fatal(err)
			}
			if want == "says nothing" {
				if res.ExitCode == 0 {
					t.Error("an agent that says nothing passed")
				}
				return
			}
			if trial := res.Trials[0]; trial.Status != arena.Errored || !strings.Contains(trial.Error, want) {
				t.Errorf("%s: %s", trial.Status, trial.Error)
			}
		})
	}
}

// TestAgentIsCutOff: a guardrail that fires on what the agent tells closes the stream.
func TestAgentIsCutOff(t *testing.T) {
	t.Parallel()
	guarded := strings.Replace(agentPrompt, "allowed_tools: [price]",
		"validators: [{type: banned_words, params: {words: [secret]}}]", 1)
	dir := files(t, "config.arena.yaml", agentProject, "support.yaml", guarded, "price.tool.yaml", agentTool,
		"model.yaml", agentModel, "price.yaml", `
id: s
task_type: support
streaming: true
turns:
  - role: user
    content: Hello
    assertions: [{type: guardrail_triggered, params: {guardrail: banned_words}}]
`)
	stopped := make(chan error, 1)
	agent := arena.AgentFunc(func(_ context.Context, _ *arena.Request, emit func(string) error) (*arena.Reply, error) {
		for _, text := range []string{"The ", "secret ", "is ", "out"} {
			if err := emit(text); err != nil {
				stopped <- err
				return nil, err
			}
		}
		return &arena.Reply{}, nil
	})
	res, err := arena.Run(t.Context(), arena.Options{
		Dir: dir, Agents: map[string]arena.Agent{"mine": agent},
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.ExitCode != 0 || !res.Trials[0].Turns[0].Guardrails[0].StreamClosed {
		t.Errorf("exit code %d: %s", res.ExitCode, failuresOf(res))
	}
	if len(stopped) != 1 {
		t.Error("the agent was not told that the stream is closed")
	}
}

// TestAgentOptions: what cannot be meant is refused.
func TestAgentOptions(t *testing.T) {
	t.Parallel()
	agents := map[string]arena.Agent{"mine": arena.AgentFunc(seller)}
	for want, o := range map[string]arena.Options{
		`Agents["mine"] must be`:  {Agents: map[string]arena.Agent{"mine": nil}},
		`Agents[""] must be`:      {Agents: map[string]arena.Agent{"": agents["mine"]}},
		`Agents["a,b"] must be`:   {Agents: map[string]arena.Agent{"a,b": agents["mine"]}},
		"Agents and Mock exclude": {Agents: agents, Mock: true},
		`did you mean "mine"?`:    {Agents: agents, Providers: []string{"mien"}},
	} {
		o.Dir = agentFiles(t)
		if _, err := arena.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
