package anthropic

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/scenario"
)

// sent is a request on the wire, decoded.
func sent(t *testing.T, change func(*scenario.Provider), req *chat.Request) (map[string]any, error) {
	t.Helper()
	s := spec("")
	if change != nil {
		change(s)
	}
	return providertest.Sent(t, newCodec(s), req)
}

// TestMessages: neighbours of one role become one message, results come first, and nothing is said that the API
// refuses.
func TestMessages(t *testing.T) {
	t.Parallel()
	hi := says(chat.User, "Hi")
	failed := answers("b", "")
	failed.ToolResult.Error = "no such order"
	thought := calls("One moment.", "a", "b")
	thought.Opaque = opaque(`[{"at":0,"block":{"type":"thinking","signature":"1"}},{"at":4,"block":{"type":"redacted_thinking"}}]`)
	thought.ToolCalls[1].Opaque = opaque(`[{"type":"thinking","signature":"2"}]`)
	shorter := thought
	shorter.Content, shorter.ToolCalls = "é", nil
	shorter.Opaque = opaque(`[{"at":1,"block":{"type":"thinking","signature":"1"}},{"at":99,"block":{"type":"x"}}]`)
	bad := calls("", "a")
	bad.ToolCalls[0].Args, bad.ToolCalls[0].BadArgs = nil, "{"
	picture := chat.Part{Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: "AAAA"}}
	shown := answers("a", "")
	shown.ToolResult.Parts = []chat.Part{{Type: "text", Text: "Here"}, picture}
	for name, c := range map[string]struct {
		list []chat.Message
		want string // of the messages; an error begins with "!"
	}{
		"text": {[]chat.Message{says(chat.System, "Be kind."), hi}, `[{"role":"user","content":[{"type":"text","text":"Hi"}]}]`},
		"neighbours": {[]chat.Message{hi, says(chat.User, "You?")},
			`[{"role":"user","content":[{"type":"text","text":"Hi"},{"type":"text","text":"You?"}]}]`},
		"an agent that begins": {[]chat.Message{says(chat.Assistant, "Hello"), hi},
			`[{"role":"user","content":[{"type":"text","text":"(The conversation begins.)"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"Hello"}]},{"role":"user","content":[{"type":"text","text":"Hi"}]}]`},
		"empty messages": {[]chat.Message{hi, says(chat.Assistant, " "), says(chat.User, "")},
			`[{"role":"user","content":[{"type":"text","text":"Hi"}]}]`},
		"a round": {[]chat.Message{hi, calls("\n", "a", "b"), answers("a", "1"), failed, says(chat.User, "And?")},
			`[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[` +
				`{"type":"tool_use","id":"a","name":"f","input":{"n":1}},{"type":"tool_use","id":"b","name":"f","input":{"n":1}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},` +
				`{"type":"tool_result","tool_use_id":"b","content":"error: no such order","is_error":true},{"type":"text","text":"And?"}]}]`},
		"a text before a result": {[]chat.Message{hi, calls("", "a", "b"), answers("a", "1"), says(chat.User, "x"), answers("b", "")},
			`[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[` +
				`{"type":"tool_use","id":"a","name":"f","input":{"n":1}},{"type":"tool_use","id":"b","name":"f","input":{"n":1}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},` +
				`{"type":"tool_result","tool_use_id":"b"},{"type":"text","text":"x"}]}]`},
		"thoughts": {[]chat.Message{hi, thought}, `[{"role":"user","content":[{"type":"text","text":"Hi"}]},` +
			`{"role":"assistant","content":[{"type":"thinking","signature":"1"},{"type":"text","text":"One "},` +
			`{"type":"redacted_thinking"},{"type":"text","text":"moment."},{"type":"tool_use","id":"a","name":"f","input":{"n":1}},` +
			`{"type":"thinking","signature":"2"},{"type":"tool_use","id":"b","name":"f","input":{"n":1}}]}]`},
		"thoughts of words that a guardrail took away": {[]chat.Message{hi, shorter}, `[{"role":"user","content":[` +
			`{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"text","text":"é"},` +
			`{"type":"thinking","signature":"1"},{"type":"x"}]}]`},
		"arguments that are none": {[]chat.Message{hi, bad, answers("a", "no")}, `[{"role":"user","content":[` +
			`{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"no"}]}]`},
		"pictures": {[]chat.Message{{Role: chat.User, Parts: []chat.Part{picture, {Type: "text", Text: "This?"},
			{Type: "document", Media: &chat.Media{URL: "https://x/a.pdf"}}}}, calls("", "a"), shown},
			`[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},` +
				`{"type":"text","text":"This?"},{"type":"document","source":{"type":"url","url":"https://x/a.pdf"}}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"n":1}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"Here"},` +
				`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]}]`},
		"a sound": {[]chat.Message{{Role: chat.User, Parts: []chat.Part{{Type: "audio", Media: &chat.Media{Data: "AAAA"}}}}},
			"!message 1: part 1: the API does not take audio"},
		"a file that a recording names": {[]chat.Message{{Role: chat.User, Parts: []chat.Part{
			{Type: "image", Media: &chat.Media{Path: "/etc/passwd"}}}}}, "!message 1: part 1: media without data"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := sent(t, nil, &chat.Request{Messages: c.list})
			if err != nil {
				if "!"+err.Error() != c.want {
					t.Errorf("got %v, want %s", err, c.want)
				}
				return
			}
			var want any
			if err := json.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got["messages"]); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParameters: what is asked for stands in the request under the API's name, and what it does not know does not.
func TestParameters(t *testing.T) {
	t.Parallel()
	one := []chat.Tool{{Name: "f", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "g"}}
	for name, c := range map[string]struct {
		spec func(*scenario.Provider)
		req  chat.Request
		want string // of the request without model and messages; an error begins with "!"
	}{
		"nothing": {nil, chat.Request{}, `{"max_tokens":4096}`},
		"all": {nil, chat.Request{
			Temperature: new(0.0), TopP: new(0.9), MaxTokens: new(7), Seed: new(int64(3)), Stream: true, Stop: []string{"END"},
			ReasoningEffort: "high", Extra: map[string]any{"top_k": 5, "model": "other", "presence_penalty": 1, "metadata": object{}},
		}, `{"max_tokens":7,"temperature":0,"top_p":0.9,"stream":true,"stop_sequences":["END"],"top_k":5,"metadata":{},
			"output_config":{"effort":"high"}}`},
		"hot": {nil, chat.Request{Temperature: new(1.2)}, "!temperature is 1.2; the API takes 0 to 1"},
		"a schema": {nil, chat.Request{JSONSchema: json.RawMessage(
			`{"type":"object","properties":{"a":{"type":"object","properties":{}}},"enum":[{"properties":{}}]}`)},
			`{"max_tokens":4096,"output_config":{"format":{"type":"json_schema","schema":{"type":"object","additionalProperties":false,
			"properties":{"a":{"type":"object","additionalProperties":false,"properties":{}}},"enum":[{"properties":{}}]}}}}`},
		"tools": {nil, chat.Request{Tools: one}, `{"max_tokens":4096,"tools":[{"name":"f","input_schema":{"type":"object"}},
			{"name":"g","input_schema":{"type":"object","properties":{}}}]}`},
		"a tool that must be called": {nil, chat.Request{Tools: one[:1], ToolChoice: "required"},
			`{"max_tokens":4096,"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}}`},
		"this tool": {nil, chat.Request{Tools: one[:1], ToolChoice: "f"},
			`{"max_tokens":4096,"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"f"}}`},
		"one tool at once": {nil, chat.Request{Tools: one[:1], ParallelToolCalls: new(false)},
			`{"max_tokens":4096,"tools":[{"name":"f","input_schema":{"type":"object"}}],
			"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}`},
		"no tool": {nil, chat.Request{Tools: one[:1], ToolChoice: "none", ParallelToolCalls: new(false)},
			`{"max_tokens":4096,"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"none"}}`},
		"a choice without tools": {nil, chat.Request{ToolChoice: "required"}, `{"max_tokens":4096}`},
		"thoughts": {func(p *scenario.Provider) { p.ThinkingBudget = 2048 }, chat.Request{Temperature: new(0.5)},
			`{"max_tokens":6144,"thinking":{"type":"enabled","budget_tokens":2048}}`},
		"too many thoughts": {func(p *scenario.Provider) { p.ThinkingBudget = 2048 }, chat.Request{MaxTokens: new(2048)},
			"!max_tokens is 2048, and thinking_budget 2048 is a part of it: raise max_tokens, or lower thinking_budget"},
		"left out": {func(p *scenario.Provider) {
			p.Unsupported = []string{
				"temperature", "top_p", "stop", "tool_choice", "parallel_tool_calls", "reasoning_effort", "response_format", "top_k",
			}
		}, chat.Request{
			Temperature: new(1.0), TopP: new(0.5), Stop: []string{"x"}, Tools: one[:1], ToolChoice: "f", ReasoningEffort: "low",
			JSONSchema: json.RawMessage(`{}`), ParallelToolCalls: new(false), Extra: map[string]any{"top_k": 5},
		}, `{"max_tokens":4096,"tools":[{"name":"f","input_schema":{"type":"object"}}]}`},
		"on vertex": {func(p *scenario.Provider) { p.Platform = &scenario.Platform{Type: "vertex"} }, chat.Request{Stream: true},
			`{"anthropic_version":"vertex-2023-10-16","max_tokens":4096,"stream":true}`},
		"on bedrock": {func(p *scenario.Provider) { p.Platform = &scenario.Platform{Type: "bedrock"} }, chat.Request{Stream: true},
			`{"anthropic_version":"bedrock-2023-05-31","max_tokens":4096}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.req.Messages = []chat.Message{says(chat.User, "Hi")}
			got, err := sent(t, c.spec, &c.req)
			if err != nil {
				if "!"+err.Error() != c.want {
					t.Errorf("got %v, want %s", err, c.want)
				}
				return
			}
			if model := got["model"]; (model != nil) == strings.HasPrefix(name, "on ") {
				t.Errorf("the model is %v", model)
			}
			delete(got, "model")
			delete(got, "messages")
			providertest.Same(t, "request", c.want, any(got))
		})
	}
}

// TestCacheMarks: at most four, on the last tool, the system prompt and the last two messages of the user.
func TestCacheMarks(t *testing.T) {
	t.Parallel()
	req := &chat.Request{
		Tools: []chat.Tool{{Name: "f"}, {Name: "g"}},
		Messages: []chat.Message{
			says(chat.System, "Be"), says(chat.System, "kind."), says(chat.User, "1"), says(chat.Assistant, "2"),
			says(chat.User, "3"), calls("", "a", "b"), answers("a", "x"), answers("b", "y"),
		},
	}
	marked, err := sent(t, func(p *scenario.Provider) { p.PromptCaching = true }, req)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(marked)
	if err != nil {
		t.Fatal(err)
	}
	mark := object{"type": "ephemeral"}
	at := func(path ...any) any {
		var v any = marked
		for _, step := range path {
			switch step := step.(type) {
			case string:
				v = v.(object)[step]
			case int:
				v = v.([]any)[step]
			}
		}
		return v.(object)["cache_control"]
	}
	for _, got := range []any{
		at("tools", 1), at("system", 1), at("messages", 2, "content", 0), at("messages", 4, "content", 1),
	} {
		if diff := cmp.Diff(any(mark), got); diff != "" {
			t.Errorf("no mark: %s\n%s", diff, data)
		}
	}
	asked := *req
	asked.Caching = true
	if again, err := sent(t, func(*scenario.Provider) {}, &asked); err != nil || !cmp.Equal(again, marked) {
		t.Errorf("a request that asks for marks has others: %v\n%s", err, cmp.Diff(marked, again))
	}
	if n := strings.Count(string(data), "cache_control"); n != 4 {
		t.Errorf("%d marks: %s", n, data)
	}
	plain, err := sent(t, nil, req)
	if err != nil || strings.Contains(encode(plain), "cache_control") {
		t.Errorf("marks that nobody asked for: %v, %v", plain, err)
	}
}
