package open

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/providers/anthropic"
	"github.com/arena-evals/arena/internal/providers/gemini"
	"github.com/arena-evals/arena/internal/providers/openai"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestDoubts: on every wire a reply tells of parts that are left out, and of a finish reason that nobody knows or that
// does not come; and the first choice is the one with the index 0.
func TestDoubts(t *testing.T) {
	t.Parallel()
	const left = "has a part that is left out (odd)"
	without := func(field string) string { return "has a part that is left out (" + field + ")" }
	wires := map[string]struct {
		open func(*scenario.Provider, wire.Options) (*wire.Provider, error)
		spec scenario.Provider
	}{
		"chat":      {openai.New, scenario.Provider{Type: "openai"}},
		"responses": {openai.New, scenario.Provider{Type: "openai", Tuning: scenario.Tuning{APIMode: "responses"}}},
		"anthropic": {anthropic.New, scenario.Provider{Type: "anthropic"}},
		"gemini":    {gemini.New, scenario.Provider{Type: "gemini"}},
	}
	for _, c := range []struct{ wire, body, finish, doubt string }{
		{"chat", `{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"odd"}]},"finish_reason":"stop"}]}`, "stop", left},
		{"chat", `{"choices":[{"message":{"content":"a"},"finish_reason":"weird"}]}`, "weird", ""},
		{"chat", `{"choices":[{"message":{"content":"a"},"finish_reason":null}]}`, "", ""},
		{"chat", `{"choices":[{"index":1,"message":{"content":"b"},"finish_reason":"stop"},{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}`, "stop", without("another choice")},
		{"chat", "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n{\"choices\":[{\"delta\":{\"content\":[{\"type\":\"odd\"}]},\"finish_reason\":\"stop\"}]}\n[DONE]", "stop", left},
		{"chat", "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n[DONE]", "stop", "goes on after its end"},
		{"chat", "{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n[DONE]", "stop", ""},
		{"responses", `{"status":"completed","output":[{"type":"message","content":[{"text":"a"}]},{"type":"odd"}]}`, "stop", left},
		{"responses", `{"type":"response.output_item.done","item":{"type":"message","content":[{"text":"a"}]}}
			{"type":"response.output_item.done","output_index":1,"item":{"type":"odd"}}
			{"type":"response.completed","response":{"status":"completed"}}`, "stop", left},
		{"anthropic", `{"content":[{"type":"text","text":"a"},{"type":"odd"}],"stop_reason":"end_turn"}`, "stop", left},
		{"anthropic", `{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"}],"stop_reason":"pause_turn"}`, "pause_turn", ""},
		{"anthropic", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}
			{"type":"content_block_start","index":1,"content_block":{"type":"odd"}}
			{"type":"message_delta","delta":{"stop_reason":"weird"}}
			{"type":"message_stop"}`, "weird", left},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"},{"odd":{}}]},"finishReason":"STOP"}]}`, "stop", left},
		{"gemini", `{"candidates":[{"index":1,"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"},{"content":{"parts":[{"text":"a"}]},"finishReason":"WEIRD"}]}`, "WEIRD", without("another candidate")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"},{"odd":{}}]}}]}
			{"candidates":[{"finishReason":"STOP"}]}`, "stop", left},
		{"chat", `{"choices":[{"message":{"content":"a","role":"user","audio":{"id":"1"}},"finish_reason":"stop"}]}`, "stop",
			"says that its role is user, not assistant, and has a part that is left out (audio)"},
		{"chat", `{"choices":[{"message":{"content":"a","images":[{"type":"odd"}]},"finish_reason":"stop"}]}`, "stop", without("images")},
		{"chat", `{"choices":[{"message":{"content":"a","annotations":[{"type":"odd"}]},"finish_reason":"stop"}]}`, "stop", without("annotations")},
		{"chat", `{"choices":[{"message":{"content":"a","function_call":"odd"},"finish_reason":"stop"}]}`, "stop", without("function_call")},
		{"chat", `{"choices":[{"message":{"content":"","refusal":"a"},"finish_reason":"stop"}]}`, "stop", ""},
		{"chat", `{"choices":[{"message":{"role":"assistant","content":"a","refusal":null,"annotations":[],"audio":null,"function_call":null,"images":[]},"finish_reason":"stop"}]}`, "stop", ""},
		{"chat", "{\"choices\":[{\"delta\":{\"content\":\"a\",\"role\":\"user\"}}]}\n{\"choices\":[{\"delta\":{\"images\":[1]},\"finish_reason\":\"stop\"}]}\n[DONE]", "stop",
			"says that its role is user, not assistant, and has a part that is left out (images)"},
		{"responses", `{"status":"completed","output":[{"type":"message","role":"user","content":[{"text":"a","annotations":[]}]}]}`, "stop", "says that its role is user, not assistant"},
		{"responses", `{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"odd"}]}]}`, "stop", left},
		{"responses", `{"type":"response.output_item.done","item":{"type":"message","content":[{"text":"a","annotations":[{}]},{"type":"output_text","annotations":[{"url":"u"}]}]}}
			{"type":"response.completed","response":{"status":"completed"}}`, "stop", without("annotations")},
		{"anthropic", `{"role":"user","content":[{"type":"text","text":"a","citations":[{"type":"odd"}]}],"stop_reason":"end_turn"}`, "stop",
			"says that its role is user, not assistant, and has a part that is left out (citations)"},
		{"anthropic", `{"type":"message_start","message":{"role":"assistant","model":"m"}}
			{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}
			{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"odd"}}}
			{"type":"message_delta","delta":{"stop_reason":"end_turn"}}
			{"type":"message_stop"}`, "stop", without("citations")},
		{"chat", `{"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"password"}}]}
			{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
			[DONE]`, "stop", without("another choice")},
		{"chat", `{"choices":[{"delta":{"content":"a"},"finish_reason":"length"}]}
			{"choices":[{"delta":{},"finish_reason":"stop"}]}
			[DONE]`, "stop", "says twice why it ended (length, then stop)"},
		{"chat", `{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}
			{"choices":[{"delta":{},"finish_reason":"stop"}]}
			[DONE]`, "stop", ""},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"}]}},{"index":1,"content":{"parts":[{"text":"password"}]}}]}
			{"candidates":[{"finishReason":"STOP"}]}`, "stop", without("another candidate")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}
			{"candidates":[{"index":1,"content":{"parts":[{"functionCall":{"name":"pay"}}]}}]}
			{"candidates":[{"finishReason":"STOP"}]}`, "stop", without("another candidate")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"MAX_TOKENS"}]}
			{"candidates":[{"finishReason":"STOP"}]}`, "stop", "says twice why it ended (MAX_TOKENS, then STOP)"},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"password","functionCall":{"name":"get"}}]},"finishReason":"STOP"}]}`,
			"tool_calls", without("text beside functionCall")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"password","functionCall":{"name":"get"}}]}}]}
			{"candidates":[{"finishReason":"STOP"}]}`, "tool_calls", without("text beside functionCall")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"b","inlineData":{"mimeType":"image/png","data":"aGk="}}]},"finishReason":"STOP"}]}`,
			"stop", without("text beside inlineData")},
		{"anthropic", `{"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"get","input":{},"text":"password"}],"stop_reason":"tool_use"}`,
			"tool_calls", without("text in a tool_use block")},
		{"anthropic", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}
			{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"1","name":"get","input":{}}}
			{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"password"}}
			{"type":"message_delta","delta":{"stop_reason":"tool_use"}}
			{"type":"message_stop"}`, "tool_calls", without("text in a tool_use block")},
		{"anthropic", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}
			{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"1","name":"get","input":{"id":"9"}}}
			{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"id\":\"1\"}"}}
			{"type":"message_delta","delta":{"stop_reason":"tool_use"}}
			{"type":"message_stop"}`, "tool_calls", without("input of a block's start")},
		{"anthropic", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}
			{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}
			{"type":"message_delta","delta":{"stop_reason":"end_turn"}}
			{"type":"message_stop"}`, "stop", "says twice why it ended (max_tokens, then end_turn)"},
		{"anthropic", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}
			{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"1","name":"get","input":{}}}
			{"type":"message_delta","delta":{"stop_reason":"tool_use"}}
			{"type":"message_stop"}`, "", ""},
		{"gemini", `{"candidates":[{"content":{"role":"user","parts":[{"text":"a"}]},"finishReason":"STOP"}]}`, "stop", "says that its role is user, not assistant"},
		{"gemini", `{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]},"finishReason":"STOP"}]}`, "stop", ""},
	} {
		stream := strings.Contains(c.body, "\n") || strings.Contains(c.body, "[DONE]")
		spec := wires[c.wire].spec
		spec.ID, spec.Model, spec.APIKey, spec.BaseURL = "p", "m", "k-123", "http://models.test/v1"
		reply := canned{whole: c.body}
		if stream {
			var b strings.Builder
			for line := range strings.Lines(c.body) {
				b.WriteString("data: " + strings.TrimSpace(line) + "\n\n")
			}
			reply.stream = b.String()
		}
		client, err := wires[c.wire].open(&spec, wire.Options{Transport: reply})
		if err != nil {
			t.Fatal(err)
		}
		got, err := client.Complete(t.Context(), providertest.Request(stream), nil)
		switch {
		case c.finish == "" && err == nil:
			t.Errorf("%s %s: no error", c.wire, c.body)
		case c.finish != "" && (err != nil || got.Content != "a" || got.FinishReason != c.finish || got.Doubt != c.doubt):
			t.Errorf("%s %s: %+v, %v", c.wire, c.body, got, err)
		}
	}
}
