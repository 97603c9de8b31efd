package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestUsage reads what servers count: tokens in the sum alone count too. What no call can have taken stays so.
func TestUsage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]chat.Usage{
		`{"prompt_tokens": 9, "completion_tokens": 3}`:                                   {InputTokens: 9, OutputTokens: 3},
		`{"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}`:               {InputTokens: 9, OutputTokens: 3},
		`{"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 500}`:              {InputTokens: 9, OutputTokens: 491},
		`{"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 3}`:                {InputTokens: 9, OutputTokens: 3},
		`{"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 100}}`:          {InputTokens: 9, CachedTokens: 100},
		`{"completion_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 2}}`: {OutputTokens: 3, ReasoningTokens: 2},
	} {
		var a chatResponse
		if err := json.Unmarshal([]byte(`{"usage": `+text+`}`), &a); err != nil {
			t.Fatal(err)
		}
		if got := usageOf(a.Usage); got != want || !got.Counted() {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{
		`{"prompt_tokens": -9, "completion_tokens": 3}`,
		`{"prompt_tokens": -9223372036854775808, "completion_tokens": 3, "total_tokens": 9223372036854775807}`,
		`{"prompt_tokens": 9, "completion_tokens": -3, "total_tokens": 12}`,
		`{"prompt_tokens": 9, "completion_tokens": 9223372036854775807}`,
		`{"prompt_tokens": 1000000000001, "completion_tokens": 3}`,
		`{"prompt_tokens": 9, "total_tokens": 1000000000000000}`,
		`{"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 1000000000000000}}`,
		`{"prompt_tokens": 9, "completion_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 1000000000000000}}`,
	} {
		var a chatResponse
		if err := json.Unmarshal([]byte(`{"usage": `+text+`}`), &a); err != nil {
			t.Fatal(err)
		}
		if got := usageOf(a.Usage); got.Counted() {
			t.Errorf("%s is possible: %+v", text, got)
		}
	}
}

// TestWastedUsage counts what a server counted for replies of which nothing came, whether another attempt is better or
// none is made.
func TestWastedUsage(t *testing.T) {
	t.Parallel()
	const (
		used    = `"usage": {"prompt_tokens": 1000, "completion_tokens": 500}`
		good    = `{"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}`
		silent  = `{"choices": [{"message": {"content": null}, "finish_reason": "stop"}]}`
		chunk   = `data: {"choices": [{"delta": {"content": "` + "12345678" + `"}}]}` + "\n\n"
		counted = `data: {"choices": [], ` + used + `}` + "\n\n"
	)
	for name, c := range map[string]struct {
		bad  string
		want chat.Usage // of the bad attempt
		last bool       // nothing is tried again
	}{
		"no text":                    {`{"choices": [{"message": {"content": null}, "finish_reason": "stop"}], ` + used + `}`, chat.Usage{InputTokens: 1000, OutputTokens: 500}, false},
		"a call without a name":      {`{"choices": [{"message": {"tool_calls": [{"id": "a", "type": "function", "function": {"arguments": "{}"}}]}, "finish_reason": "tool_calls"}], ` + used + `}`, chat.Usage{InputTokens: 1000, OutputTokens: 500}, false},
		"an error of the model":      {`{"choices": [{"message": {"content": "x"}, "finish_reason": "error", "error": {"message": "no", "code": 502}}], ` + used + `}`, chat.Usage{InputTokens: 1000, OutputTokens: 500}, false},
		"a content filter":           {`{"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}], ` + used + `}`, chat.Usage{InputTokens: 1000, OutputTokens: 500}, true},
		"no count":                   {silent, chat.Usage{InputTokens: 2, Estimated: true}, false},
		"a stream without an end":    {chunk + counted, chat.Usage{InputTokens: 1000, OutputTokens: 500}, false},
		"a stream that breaks off":   {chunk, chat.Usage{InputTokens: 2, OutputTokens: 2, Estimated: true}, false},
		"a count that cannot be":     {`{"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1000000000000000, "completion_tokens": 1}}`, chat.Usage{Estimated: true}, true},
		"a page of something else":   {`<html></html>`, chat.Usage{}, false},
		"an error instead of a text": {`{"error": {"message": "overloaded"}}`, chat.Usage{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				text := c.bad
				if asked++; asked > 1 && !c.last {
					text = good
				}
				if strings.HasPrefix(text, "data: ") {
					w.Header().Set("Content-Type", "text/event-stream")
				} else {
					w.Header().Set("Content-Type", "application/json")
				}
				_, _ = fmt.Fprint(w, text)
			}))
			t.Cleanup(server.Close)
			spec := &scenario.Provider{Type: "openai-compatible", Model: "m", BaseURL: server.URL,
				Pricing: &scenario.Pricing{InputPer1K: 1, OutputPer1K: 1}}
			model, err := New(spec, wire.Options{})
			if err != nil {
				t.Fatal(err)
			}
			req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "question"}}, Stream: true}
			once := providers.Cost(model, spec)
			_, err = once.Complete(t.Context(), req, nil)
			failed, ok := errors.AsType[*providers.Error](err)
			if !ok || failed.Usage != c.want {
				t.Fatalf("error %v, usage %+v, want %+v", err, failed.Usage, c.want)
			}
			if known := failed.CostUSD != nil; known != (c.want.Total() > 0) {
				t.Errorf("the cost of %+v is known: %v", failed.Usage, known)
			}
			asked = 0
			often := providers.Cost(providers.Retry(model, scenario.RetryPolicy{Attempts: 2, BaseDelay: 1}, nil), spec)
			reply, err := often.Complete(providers.RetryStreamed(t.Context()), req, nil)
			if c.last {
				if failed, ok := errors.AsType[*providers.Error](err); !ok || failed.Usage != c.want || asked != 1 {
					t.Fatalf("error %v, asked %d times", err, asked)
				}
				return
			}
			if want := (chat.Usage{InputTokens: 7, OutputTokens: 2}).Add(c.want); err != nil || reply.Usage != want {
				t.Fatalf("error %v, usage %+v, want %+v", err, reply.Usage, want)
			}
			if want := float64(reply.Usage.Total()) / 1000; reply.CostUSD == nil || *reply.CostUSD < want-1e-9 {
				t.Errorf("cost %v, want %v", reply.CostUSD, want)
			}
			if notice := reply.Notice != ""; notice != (c.want.Total() > 0) {
				t.Errorf("notice %q for %+v", reply.Notice, c.want)
			}
		})
	}
}

// TestPartsAboveTheWhole: where a server counts more tokens as cached or as thoughts than in all, the whole counts, and
// the reply says so.
func TestPartsAboveTheWhole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		usage  chat.Usage
		notice bool
	}{
		`{"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 100}}`:        {chat.Usage{InputTokens: 9, OutputTokens: 3, CachedTokens: 9}, true},
		`{"prompt_tokens": 9, "completion_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 100}}`: {chat.Usage{InputTokens: 9, OutputTokens: 3, ReasoningTokens: 3}, true},
		`{"prompt_tokens": 9, "completion_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 3}}`:   {chat.Usage{InputTokens: 9, OutputTokens: 3, ReasoningTokens: 3}, false},
		`{"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": -1}}`:         {chat.Usage{InputTokens: 9, OutputTokens: 3}, true},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, `{"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}], "usage": `+text+`}`)
		}))
		t.Cleanup(server.Close)
		model, err := New(&scenario.Provider{Type: "openai-compatible", Model: "m", BaseURL: server.URL}, wire.Options{})
		if err != nil {
			t.Fatal(err)
		}
		req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "question"}}}
		reply, err := model.Complete(t.Context(), req, nil)
		if err != nil || reply.Usage != want.usage || (reply.Doubt != "") != want.notice {
			t.Errorf("%s: %v, got %+v with doubt %q", text, err, reply.Usage, reply.Doubt)
		}
	}
}

// TestSumAlone: what stands in the sum alone counts as output up to what a model can think in one reply. More is an
// error that is not asked again for, and nobody knows what it cost.
func TestSumAlone(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]struct {
		out    int
		failed string
	}{
		`{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 10000015}`:             {10000005, ""},
		`{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 10000016}`:             {0, "(10 of input, 5 of output, 10000016 in all)"},
		`{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 1000000000}`:           {0, "(10 of input, 5 of output, 1000000000 in all)"},
		`{"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 9223372036854775807}`:   {0, "9223372036854775807 in all)"},
		`{"prompt_tokens": 10, "completion_tokens": 20000000, "total_tokens": 20000010}`:      {20000000, ""},
		`{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": -9223372036854775808}`: {5, ""},
	} {
		for _, stream := range []bool{false, true} {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				if stream {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = fmt.Fprint(w, `data: {"choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}]}`+"\n\n"+
						`data: {"choices": [], "usage": `+usage+"}\n\ndata: [DONE]\n\n")
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprint(w, `{"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}], "usage": `+usage+`}`)
			}))
			t.Cleanup(server.Close)
			spec := &scenario.Provider{Type: "openai-compatible", Model: "m", BaseURL: server.URL,
				Pricing: &scenario.Pricing{InputPer1K: 1, OutputPer1K: 1}}
			model, err := New(spec, wire.Options{})
			if err != nil {
				t.Fatal(err)
			}
			req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "question"}}, Stream: stream}
			often := providers.Cost(providers.Retry(model, scenario.RetryPolicy{Attempts: 3, BaseDelay: 1}, nil), spec)
			reply, err := often.Complete(providers.RetryStreamed(t.Context()), req, nil)
			if want.failed == "" {
				if err != nil || reply.Usage.OutputTokens != want.out {
					t.Errorf("%s (streamed: %v): %v, %+v", usage, stream, err, reply.Usage)
				}
				continue
			}
			failed, ok := errors.AsType[*providers.Error](err)
			if !ok || !strings.Contains(err.Error(), want.failed) || asked != 1 || failed.CostUSD != nil || failed.Usage.Total() != 0 {
				t.Errorf("%s (streamed: %v): %v, asked %d times", usage, stream, err, asked)
			}
		}
	}
}
