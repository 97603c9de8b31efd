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

// TestDoubts: every API notes parts that are left out, and unknown or missing finish reasons; and the first choice is
// the one with the index 0.
func TestDoubts(t *testing.T) {
	t.Parallel()
	const left = "has a part that is left out (odd)"
	without := func(field string) string { return "has a part that is left out (" + field + ")" }
	lacks := func(piece, field string) string { return "has " + piece + " without " + field }
	beside := func(what string) string { return "has a failure beside it (" + what + ")" }
	stopped := func(field, word string) string {
		return "was stopped according to " + field + " (" + word + "), but not according to its finish reason"
	}
	blocks := func(events string) string { // of Anthropic's form
		reason := "end_turn"
		if strings.Contains(events, "tool_use") {
			reason = "tool_use"
		}
		return `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}` + "\n" + events + "\n" +
			`{"type":"message_delta","delta":{"stop_reason":"` + reason + `"}}` + "\n" + `{"type":"message_stop"}`
	}
	chunks := func(events string) string {
		return `{"choices":[{"delta":{"content":"a"}}]}` + "\n" + events + "\n" +
			`{"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n[DONE]"
	}
	apis := map[string]struct {
		open func(*scenario.Provider, wire.Options) (*wire.Provider, error)
		spec scenario.Provider
	}{
		"chat":      {openai.New, scenario.Provider{Type: "openai"}},
		"responses": {openai.New, scenario.Provider{Type: "openai", Tuning: scenario.Tuning{APIMode: "responses"}}},
		"anthropic": {anthropic.New, scenario.Provider{Type: "anthropic"}},
		"gemini":    {gemini.New, scenario.Provider{Type: "gemini"}},
	}
	for _, c := range []struct{ api, body, finish, doubt string }{
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
		{"responses", `{"type":"response.output_item.done","item":{"type":"message","content":[{"text":"a","annotations":[{}]},{"type":"output_text","text":"","annotations":[{"url":"u"}]}]}}
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
		{"chat", `{"errors":["odd"],"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "stop", beside(`errors: ["odd"]`)},
		{"chat", `{"errors":[],"error":null,"exception":"","choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "stop", ""},
		{"chat", chunks(`{"choices":[],"error_message":"odd"}`), "stop", beside(`error_message: "odd"`)},
		{"responses", `{"errors":["odd"],"status":"completed","output":[{"type":"message","content":[{"text":"a"}]}]}`, "stop", beside(`errors: ["odd"]`)},
		{"anthropic", `{"exception":"odd","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}`, "stop", beside(`exception: "odd"`)},
		{"gemini", `{"errors":["odd"],"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`, "stop", beside(`errors: ["odd"]`)},
		// Pieces that lack what they must have, and the usual ones that hold nothing.
		{"anthropic", `{"content":[{"type":"text","text":"a"},{"type":"text"}],"stop_reason":"end_turn"}`, "stop", lacks("a text block", "text")},
		{"anthropic", `{"content":[{"type":"text","text":"a"},{"type":"text","text":null}],"stop_reason":"end_turn"}`, "stop", lacks("a text block", "text")},
		{"anthropic", `{"content":[{"type":"text","text":"a"},{"type":"text","text":""}],"stop_reason":"end_turn"}`, "stop", ""},
		{"anthropic", `{"content":[{"type":"text","text":"a"},null],"stop_reason":"end_turn"}`, "stop", lacks("a part", "type")},
		{"anthropic", `{"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"get_order"}],"stop_reason":"tool_use"}`, "tool_calls", lacks("a call of get_order", "arguments")},
		{"anthropic", blocks(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}`), "stop", lacks("a piece of a text block", "text")},
		{"anthropic", blocks(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":null}}`), "stop", lacks("a piece of a text block", "text")},
		{"anthropic", blocks(`{"type":"content_block_delta","index":0,"delta":{}}`), "stop", lacks("a piece of a text block", "text")},
		{"anthropic", blocks(`{"type":"content_block_delta","index":0,"delta":null}`), "stop", lacks("a piece of a text block", "text")},
		{"anthropic", blocks(`{"type":"content_block_delta","index":0}`), "stop", lacks("a piece of a text block", "text")},
		{"anthropic", blocks(`{"index":0,"delta":{"type":"text_delta","text":"b"}}`), "stop", lacks("an event", "type")},
		{"anthropic", blocks(`{"type":"odd","index":0,"delta":{"type":"text_delta","text":"b"}}`), "stop", left},
		{"anthropic", blocks(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""}}`), "stop", ""},
		{"anthropic", blocks(`{"type":"ping"}`), "stop", ""},
		{"anthropic", blocks(`{"type":"content_block_stop","index":0}`), "stop", ""},
		{"anthropic", blocks(`{"type":"new","of":"tomorrow"}`), "stop", ""},
		{"anthropic", blocks(`{"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":""}}
			{"type":"content_block_delta","index":1,"delta":{"type":"signature_delta","signature":"s"}}`), "stop", ""},
		{"anthropic", blocks(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"1","name":"get_order","input":{}}}
			{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta"}}`), "tool_calls", lacks("a piece of a tool_use block", "partial_json")},
		{"anthropic", blocks(`{"type":"message_start","message":{"role":"assistant","content":[{"type":"text","text":"b"}]}}`), "stop", without("content of the message's start")},
		{"chat", `{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text"}]},"finish_reason":"stop"}]}`, "stop", lacks("a part of text", "text")},
		{"chat", `{"choices":[{"message":{"content":[{"type":"text","text":"a"},null]},"finish_reason":"stop"}]}`, "stop", lacks("a part of content", "text")},
		{"chat", `{"choices":[{"message":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"a"}]},"finish_reason":"stop"}]}`, "stop", ""},
		{"chat", `{"choices":[{"message":{"content":"a","tool_calls":[{"id":"1","function":{"name":"get_order"}}]},"finish_reason":"stop"}]}`, "tool_calls", lacks("a call of get_order", "arguments")},
		{"chat", `{"choices":[{"message":{"content":"a","tool_calls":[{"id":"1","function":{"name":"get_order","arguments":""}}]},"finish_reason":"stop"}]}`, "tool_calls", ""},
		{"chat", chunks(`{"choices":[null]}`), "stop", lacks("a choice", "delta")},
		{"chat", chunks(`{"choices":[{}]}`), "stop", lacks("a choice", "delta")},
		{"chat", chunks(`{"choices":[{"index":0,"delta":null}]}`), "stop", lacks("a choice", "delta")},
		{"chat", chunks(`{"choices":[{"index":0,"message":{"content":"b"},"finish_reason":"stop"}]}`), "stop", lacks("a choice", "delta")},
		{"chat", chunks(`{"id":"x","object":"chat.completion.chunk"}`), "stop", lacks("a chunk", "choices")},
		{"chat", chunks(`{"id":"x","choices":null}`), "stop", lacks("a chunk", "choices")},
		{"chat", chunks(`{"id":"x","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}`), "stop", ""},
		{"chat", chunks(`{"id":"x","usage":{"prompt_tokens":9,"completion_tokens":1}}`), "stop", ""},
		{"chat", chunks(`{"id":"","object":"","model":"","choices":[],"prompt_filter_results":[]}`), "stop", ""},
		{"chat", chunks(`{"id":"x","choices":[{"index":0,"finish_reason":null,"content_filter_results":{"hate":{"filtered":false}}}]}`), "stop", ""},
		{"chat", chunks(`{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":null}]}`), "stop", ""},
		{"chat", chunks(`{"id":"x","choices":[{"index":0,"finish_reason":"stop"}]}`), "stop", ""},
		{"chat", chunks(`{}`), "stop", ""},
		{"responses", `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a"},null]}]}`, "stop", lacks("a part of content", "text")},
		{"responses", `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a"},{"type":"output_text"}]}]}`, "stop", lacks("a part of output_text", "text")},
		{"responses", `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a"}]},{}]}`, "stop", lacks("a part", "type")},
		{"responses", `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a"}]},{"type":"function_call","call_id":"1","name":"get_order"}]}`, "tool_calls", lacks("a call of get_order", "arguments")},
		{"responses", `{"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"a"},{"type":"output_text"}]}}
			{"type":"response.completed","response":{"status":"completed"}}`, "stop", lacks("a part of output_text", "text")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"},null]},"finishReason":"STOP"}]}`, "stop", lacks("a part", "content")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"},{}]},"finishReason":"STOP"}]}`, "stop", lacks("a part", "content")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":null}]},"finishReason":"STOP"}]}`, "stop", lacks("a part", "content")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":{"name":"get_order"}}]},"finishReason":"STOP"}]}`, "tool_calls", lacks("a call of get_order", "arguments")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"},{"text":""},{"thoughtSignature":"cw=="}]},"finishReason":"STOP"}]}`, "stop", ""},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}
			{"candidates":[{"content":{"parts":[{"text":null}]}}]}
			{"candidates":[{"finishReason":"STOP"}]}`, "stop", lacks("a part", "content")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}
			{"candidates":[{"content":{"role":"model"}}]}
			{"usageMetadata":{"promptTokenCount":9}}
			{"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"STOP"}]}`, "stop", ""},
		// Other fields that say that a reply with a good finish reason was stopped.
		{"responses", `{"status":"completed","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":[{"text":"a"}]}]}`, "stop", stopped("incomplete_details", "max_output_tokens")},
		{"responses", `{"status":"completed","incomplete_details":null,"output":[{"type":"message","content":[{"text":"a"}]}]}`, "stop", ""},
		{"responses", `{"type":"response.output_text.delta","delta":"a"}
			{"type":"response.completed","response":{"status":"completed","incomplete_details":{"reason":"content_filter"}}}`, "stop", stopped("incomplete_details", "content_filter")},
		{"chat", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop","content_filter_results":{"hate":{"filtered":true,"severity":"high"},"violence":{"filtered":false}}}]}`, "stop", stopped("content_filter_results", "hate")},
		{"chat", `{"choices":[{"message":{"content":"a"},"finish_reason":"content_filter","content_filter_results":{"hate":{"filtered":true}}}]}`, "content_filter", ""},
		{"chat", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop","content_filter_results":{"hate":{"filtered":false},"protected_material_text":{"detected":false,"filtered":false}}}],"prompt_filter_results":[{"content_filter_results":{"jailbreak":{"detected":false,"filtered":false}}}]}`, "stop", ""},
		{"chat", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"jailbreak":{"detected":true,"filtered":true}}}]}`, "stop", stopped("prompt_filter_results", "jailbreak")},
		{"chat", chunks(`{"choices":[{"index":0,"content_filter_results":{"custom_blocklists":{"filtered":true}}}]}`), "stop", stopped("content_filter_results", "custom_blocklists")},
		{"chat", chunks(`{"choices":[],"prompt_filter_results":[{"content_filter_results":{"jailbreak":{"filtered":true}}}]}`), "stop", stopped("prompt_filter_results", "jailbreak")},
		{"chat", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop","native_finish_reason":"SAFETY"}]}`, "stop", stopped("native_finish_reason", "SAFETY")},
		{"chat", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop","native_finish_reason":"end_turn"}]}`, "stop", ""},
		{"chat", `{"choices":[{"message":{"content":"a"},"finish_reason":"length","native_finish_reason":"MAX_TOKENS"}]}`, "length", ""},
		{"anthropic", `{"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","stop_details":{"type":"refusal"}}`, "stop", stopped("stop_details", "refusal")},
		{"anthropic", `{"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","stop_details":null}`, "stop", ""},
		{"anthropic", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}
			{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_details":{"type":"refusal"}}}
			{"type":"message_stop"}`, "stop", stopped("stop_details", "refusal")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP","finishMessage":"Model generated function call(s).","safetyRatings":[{"category":"HATE","probability":"NEGLIGIBLE"}]}]}`, "stop", ""},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP","safetyRatings":[{"category":"HATE","probability":"HIGH","blocked":true}]}]}`, "stop", stopped("safetyRatings", "HATE")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP","citationMetadata":{"citationSources":[{}]},"groundingMetadata":{}}]}`, "stop", without("citationMetadata")},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP","groundingMetadata":{"webSearchQueries":["q"]}}]}`, "stop", without("groundingMetadata")},
	} {
		stream := strings.Contains(c.body, "\n") || strings.Contains(c.body, "[DONE]")
		spec := apis[c.api].spec
		spec.ID, spec.Model, spec.APIKey, spec.BaseURL = "p", "m", "k-123", "http://models.test/v1"
		reply := canned{whole: c.body}
		if stream {
			var b strings.Builder
			for line := range strings.Lines(c.body) {
				b.WriteString("data: " + strings.TrimSpace(line) + "\n\n")
			}
			reply.stream = b.String()
		}
		client, err := apis[c.api].open(&spec, wire.Options{Transport: reply})
		if err != nil {
			t.Fatal(err)
		}
		got, err := client.Complete(t.Context(), providertest.Request(stream), nil)
		switch {
		case c.finish == "" && err == nil:
			t.Errorf("%s %s: no error", c.api, c.body)
		case c.finish != "" && (err != nil || got.Content != "a" || got.FinishReason != c.finish || got.Doubt != c.doubt):
			t.Errorf("%s %s: %+v, %v", c.api, c.body, got, err)
		}
	}
}
