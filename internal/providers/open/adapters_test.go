package open

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/anthropic"
	"github.com/arena-evals/arena/internal/providers/openai"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// canned answers each request with the same reply.
type canned struct{ whole, stream string }

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	body, kind := c.whole, "application/json"
	if r.Header.Get("Accept") == "text/event-stream" {
		body, kind = c.stream, "text/event-stream"
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// streamOf is a stream of events, with a piece for each word of a text.
func streamOf(before, piece, after string) string {
	var b strings.Builder
	for line := range strings.Lines(before) {
		b.WriteString("data: " + strings.TrimSpace(line) + "\n\n")
	}
	for range 40 {
		b.WriteString("data: " + piece + "\n\n")
	}
	for line := range strings.Lines(after) {
		b.WriteString("data: " + strings.TrimSpace(line) + "\n\n")
	}
	return b.String()
}

var saidText = strings.Repeat("word ", 40)

// adapter is a wire with a reply of forty words and two calls, which is the same in all of them.
type adapter struct {
	name string
	open func(*scenario.Provider, wire.Options) (*wire.Provider, error)
	spec scenario.Provider
	canned
}

func adapters() []adapter {
	return []adapter{
		{"completions", openai.New, scenario.Provider{Type: "openai"}, canned{
			`{"model":"m","choices":[{"index":0,"message":{"content":"` + saidText + `","tool_calls":[
			{"id":"a","type":"function","function":{"name":"get_order","arguments":"{\"id\":\"A\"}"}},
			{"id":"b","type":"function","function":{"name":"get_order","arguments":"{\"id\":\"B\"}"}}]},"finish_reason":"tool_calls"}],
			"usage":{"prompt_tokens":9,"completion_tokens":50}}`,
			streamOf(`{"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`,
				`{"model":"m","choices":[{"index":0,"delta":{"content":"word "}}]}`,
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"get_order","arguments":""}}]}}]}
				{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"id\":\"A\"}"}}]}}]}
				{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"get_order","arguments":""}}]}}]}
				{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\"id\":\"B\"}"}}]}}]}
				{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
				{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":50}}
				[DONE]`),
		}},
		{"responses", openai.New, scenario.Provider{Type: "openai", Tuning: scenario.Tuning{APIMode: "responses"}}, canned{
			`{"model":"m","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"` + saidText + `"}]},
			{"type":"function_call","call_id":"a","name":"get_order","arguments":"{\"id\":\"A\"}"},
			{"type":"function_call","call_id":"b","name":"get_order","arguments":"{\"id\":\"B\"}"}],
			"usage":{"input_tokens":9,"output_tokens":50}}`,
			streamOf(`{"type":"response.created","response":{"model":"m"}}`,
				`{"type":"response.output_text.delta","output_index":0,"delta":"word "}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"text":"`+saidText+`"}]}}
				{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"id\":\"A\"}"}
				{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"a","name":"get_order","arguments":"{\"id\":\"A\"}"}}
				{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"id\":\"B\"}"}
				{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"b","name":"get_order","arguments":"{\"id\":\"B\"}"}}
				{"type":"response.completed","response":{"model":"m","status":"completed","usage":{"input_tokens":9,"output_tokens":50}}}`),
		}},
		{"anthropic", anthropic.New, scenario.Provider{Type: "anthropic"}, canned{
			`{"type":"message","model":"m","content":[{"type":"text","text":"` + saidText + `"},
			{"type":"tool_use","id":"a","name":"get_order","input":{"id":"A"}},
			{"type":"tool_use","id":"b","name":"get_order","input":{"id":"B"}}],
			"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":50}}`,
			streamOf(`{"type":"message_start","message":{"model":"m","usage":{"input_tokens":9,"output_tokens":1}}}
				{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word "}}`,
				`{"type":"content_block_stop","index":0}
				{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"get_order","input":{}}}
				{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"id\":\"A\"}"}}
				{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"b","name":"get_order","input":{}}}
				{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"id\":\"B\"}"}}
				{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":50}}
				{"type":"message_stop"}`),
		}},
	}
}

// round is a call in a conversation with a round of tools behind it.
func (a *adapter) round(tb testing.TB, stream bool) func() {
	tb.Helper()
	spec := a.spec
	spec.ID, spec.Model, spec.APIKey, spec.BaseURL = "p", "m", "k-123", "http://models.test/v1"
	client, err := a.open(&spec, wire.Options{Transport: a.canned})
	if err != nil {
		tb.Fatal(err)
	}
	ask := func(req *chat.Request) *chat.Reply {
		reply, err := client.Complete(tb.Context(), req, func(chat.Delta) error { return nil })
		if err != nil || reply.Content != saidText || len(reply.ToolCalls) != 2 || reply.FinishReason != "tool_calls" ||
			reply.Usage != (chat.Usage{InputTokens: 9, OutputTokens: 50}) {
			tb.Fatalf("%s: %+v, %v", a.name, reply, err)
		}
		return &reply
	}
	req := providertest.Answered(stream, ask(providertest.Request(stream)))
	return func() { ask(req) }
}

// TestAllocations: no wire costs much more than chat completions. It does not run beside others, whose allocations
// would be counted.
func TestAllocations(t *testing.T) {
	const most = 1.3
	for _, stream := range []bool{false, true} {
		var base float64
		for i, a := range adapters() {
			n := testing.AllocsPerRun(200, a.round(t, stream))
			if i == 0 {
				base = n
			}
			if t.Logf("%s, streamed %t: %.0f", a.name, stream, n); n > most*base {
				t.Errorf("%s, streamed %t: %.0f allocations, more than %g × %.0f", a.name, stream, n, most, base)
			}
		}
	}
}

func BenchmarkRound(b *testing.B) {
	for _, a := range adapters() {
		for name, stream := range map[string]bool{"whole": false, "streamed": true} {
			b.Run(a.name+"/"+name, func(b *testing.B) {
				ask := a.round(b, stream)
				b.ReportAllocs()
				for b.Loop() {
					ask()
				}
			})
		}
	}
}
