package open

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/anthropic"
	"github.com/arena-evals/arena/internal/providers/gemini"
	"github.com/arena-evals/arena/internal/providers/openai"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestCharacters: every API decodes a reply by the charset in its header, and refuses an unknown charset, because
// forbidden words with accents would not be found.
func TestCharacters(t *testing.T) {
	t.Parallel()
	openAI := scenario.Provider{Type: "openai"}
	responses := scenario.Provider{Type: "openai", Tuning: scenario.Tuning{APIMode: "responses"}}
	for _, w := range []struct {
		name string
		open func(*scenario.Provider, wire.Options) (*wire.Provider, error)
		spec scenario.Provider
		body string // WORDS is what the model said
	}{
		{"chat", openai.New, openAI, `{"choices":[{"message":{"content":"WORDS"},"finish_reason":"stop"}]}`},
		{"chat stream", openai.New, openAI, `data: {"choices":[{"delta":{"content":"WORDS"},"finish_reason":"stop"}]}` +
			"\n\ndata: [DONE]\n\n"},
		{"responses", openai.New, responses, `{"status":"completed","output":[{"type":"message","content":[{"text":"WORDS"}]}]}`},
		{"responses stream", openai.New, responses, `data: {"type":"response.output_text.delta","delta":"WORDS"}` + "\n\n" +
			`data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n"},
		{
			"anthropic", anthropic.New, scenario.Provider{Type: "anthropic"},
			`{"content":[{"type":"text","text":"WORDS"}],"stop_reason":"end_turn"}`,
		},
		{
			"anthropic stream", anthropic.New, scenario.Provider{Type: "anthropic"},
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"WORDS"}}` + "\n\n" +
				`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
		},
		{
			"gemini", gemini.New, scenario.Provider{Type: "gemini"},
			`{"candidates":[{"content":{"parts":[{"text":"WORDS"}]},"finishReason":"STOP"}]}`,
		},
		{
			"gemini stream", gemini.New, scenario.Provider{Type: "gemini"},
			`data: {"candidates":[{"content":{"parts":[{"text":"WORDS"}]},"finishReason":"STOP"}]}` + "\n\n",
		},
	} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range []struct{ charset, words, want, doubt string }{
				{"", "caf\u00e9", "caf\u00e9", ""},
				{"; charset=utf-8", "caf\u00e9", "caf\u00e9", ""},
				{"; charset=iso-8859-1", "caf\xe9", "caf\u00e9", ""},
				{"", "caf\xe9", "error: provider p: ", ""},
				{"; charset=utf-8", "caf\xe9", "error: provider p: ", ""},
				{"; charset=klingon", "caf\xe9", "error: provider p: ", ""},
				{"", `caf\ud800`, "caf\uFFFD", "holds the sign for characters that were lost (U+FFFD)"},
			} {
				kind := "application/json"
				if strings.HasPrefix(w.body, "data:") {
					kind = "text/event-stream"
				}
				server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
					rw.Header().Set("Content-Type", kind+c.charset)
					_, _ = fmt.Fprint(rw, strings.ReplaceAll(w.body, "WORDS", c.words))
				}))
				spec := w.spec
				spec.ID, spec.Model, spec.BaseURL, spec.APIKey = "p", "m", server.URL, "k-123"
				model, err := w.open(&spec, wire.Options{})
				if err != nil {
					t.Fatal(err)
				}
				req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "q"}}, Stream: kind != "application/json"}
				reply, err := model.Complete(t.Context(), req, nil)
				got := reply.Content
				if err != nil {
					got = "error: " + err.Error()
				}
				if !strings.HasPrefix(got, c.want) || !strings.Contains(reply.Doubt, c.doubt) {
					t.Errorf("%q (%s): got %q, doubt %q; want %q, %q", c.words, c.charset, got, reply.Doubt, c.want, c.doubt)
				}
				server.Close()
			}
		})
	}
}
