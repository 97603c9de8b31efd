package runner

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// TestThePolicyOfAStatesPromptHoldsInItsSteps: every key of tool_policy in the prompt of a state with a composition
// limits what the steps do, whichever prompt they have.
func TestThePolicyOfAStatesPromptHoldsInItsSteps(t *testing.T) {
	t.Parallel()
	const (
		finds = "- {id: a, kind: tool, tool: find}\n- {id: b, kind: tool, tool: find}"
		once  = "- {id: a, kind: parallel, reduce: {strategy: append, into: l}, branches: [" +
			"{id: c, kind: tool, tool: find}, {id: d, kind: tool, tool: find}]}"
		agent   = "- {id: a, kind: agent, prompt_task: help, termination: {max_steps: 5}}"
		prompts = "- {id: a, kind: prompt, prompt_task: help}\n- {id: b, kind: prompt, prompt_task: help}"
	)
	for policy, tc := range map[string]struct{ steps, want string }{
		"blocklist: [find]":                              {finds, "tool find is blocked by policy"},
		"max_tool_calls_per_turn: 1":                     {finds, "2 tool calls in this turn; tool_policy.max_tool_calls_per_turn allows 1"},
		"max_tool_calls_per_turn: 1 ":                    {once, "2 tool calls in this turn; tool_policy.max_tool_calls_per_turn allows 1"},
		"max_total_tool_calls: 1":                        {finds, "2 tool calls in the conversation; tool_policy.max_total_tool_calls allows 1"},
		"max_total_tool_calls: 1 ":                       {once, "2 tool calls in the conversation; tool_policy.max_total_tool_calls allows 1"},
		"max_rounds: 1":                                  {agent, "the tool loop did not end within 1 round (tool_policy.max_rounds)"},
		"max_identical_tool_calls: 2":                    {agent, "the model is stuck: it called find 3 times"},
		"max_cost_usd: 0.01":                             {prompts, "tool_policy.max_cost_usd allows $0.01"},
		"tool_choice: none":                              {agent, "offered nothing"},
		"tool_choice: none, max_tool_calls_per_turn: 70": {agent, "offered nothing"},
		"tool_choice: required":                          {agent, "has to call required"},
		"tool_choice: pay":                               {agent, "has to call pay"},
	} {
		files := composing(tc.steps, `- {role: user, content: Hello}`)
		files["config.arena.yaml"] = strings.NewReplacer(
			"desk: {orchestration", "desk: {prompt_task: own, orchestration", "{file: guarded.yaml}", "{file: guarded.yaml}, {file: own.yaml}",
		).Replace(files["config.arena.yaml"])
		files["own.yaml"] = "task_type: own\nsystem_template: Own.\nallowed_tools: [find, pay]\ntool_policy: {" + policy + "}\n"
		trial, _ := runComposed(t, files, func(_ context.Context, req *chat.Request) (chat.Reply, error) {
			switch {
			case strings.Contains(policy, "choice: none") && len(req.Tools) == 0:
				return chat.Reply{}, fmt.Errorf("offered nothing")
			case strings.Contains(policy, "choice") && req.ToolChoice != "auto":
				return chat.Reply{}, fmt.Errorf("has to call %s", req.ToolChoice)
			case strings.Contains(policy, "cost"):
				return chat.Reply{Content: "x", FinishReason: "stop", CostUSD: new(1.0)}, nil
			}
			return chat.Reply{FinishReason: "tool_calls", ToolCalls: []chat.ToolCall{{ID: "1", Name: "find", Args: map[string]any{}}}}, nil
		})
		if !strings.Contains(trial.Error, tc.want) {
			t.Errorf("%s: %s %q, want %q", policy, trial.Status, trial.Error, tc.want)
		}
	}
}
