package openai

import (
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

// answered asks a server that answers with a text, be it events or a document.
func answered(t *testing.T, text string) (chat.Reply, error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(text, "data: ") {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		_, _ = fmt.Fprint(w, text)
	}))
	t.Cleanup(server.Close)
	model, err := New(&scenario.Provider{Type: "openai-compatible", Model: "m", BaseURL: server.URL}, wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "question"}}, Stream: true}
	return model.Complete(t.Context(), req, nil)
}

// TestKeyTwice: decoders would take the last one, and what the model said in the first would be in no check.
func TestKeyTwice(t *testing.T) {
	t.Parallel()
	for text, key := range map[string]string{
		`{"choices": [{"message": {"content": "bad", "Content": "hello"}, "finish_reason": "stop"}]}`:      "Content",
		`{"choices": [{"message": {"content": "bad"}, "finish_reason": "stop"}], "choiceſ": []}`:           "choiceſ",
		`{"choices": [{"message": {"content": "a"}, "finish_reason": "length", "Finish_Reason": "stop"}]}`: "Finish_Reason",
		`{"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}],
			"usage": {"prompt_tokens": 5000, "prompt_tokens": 5, "completion_tokens": 2}}`: "prompt_tokens",
		`data: {"choices": [{"delta": {"content": "bad", "Content": "hello"}}]}` + "\n\n" +
			`data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}` + "\n\ndata: [DONE]\n\n": "Content",
	} {
		_, err := answered(t, text)
		failed, ok := errors.AsType[*providers.Error](err)
		if !ok || failed.Kind != providers.BadReply || !strings.Contains(err.Error(), fmt.Sprintf("the key %q twice", key)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestUsageOfTwoChunks: what was counted once was spent.
func TestUsageOfTwoChunks(t *testing.T) {
	t.Parallel()
	reply, err := answered(t, `data: {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}],
data: "usage": {"prompt_tokens": 5000, "completion_tokens": 2000, "total_tokens": 7000}}`+"\n\n"+
		`data: {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}`+
		"\n\ndata: [DONE]\n\n")
	if want := (chat.Usage{InputTokens: 5000, OutputTokens: 2000}); err != nil || reply.Usage != want {
		t.Errorf("got %+v, %v, want %+v", reply.Usage, err, want)
	}
}
