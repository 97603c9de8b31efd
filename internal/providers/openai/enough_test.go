package openai

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// talkative starts a model that streams without an end. left is closed when the client has gone.
func talkative(t *testing.T) (url string, left <-chan struct{}) {
	t.Helper()
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, delta(`{"content":"more "}`)); err != nil {
				return
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, gone
}

// TestEnough reads three words of a reply that never ends. The connection is closed then; what came is the reply.
func TestEnough(t *testing.T) {
	t.Parallel()
	url, left := talkative(t)
	s := spec("openai-compatible", url)
	s.Pricing = &scenario.Pricing{InputPer1K: 1, OutputPer1K: 1}
	p := providers.Cost(open(t, s, wire.Options{}), s)
	n := 0
	reply, err := p.Complete(t.Context(), &chat.Request{
		Stream: true, Messages: []chat.Message{{Role: chat.User, Content: "Go on"}},
	}, func(chat.Delta) error {
		if n++; n == 3 {
			return providers.ErrEnough
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-left:
	case <-t.Context().Done():
		t.Fatal("the connection is still open")
	}
	want := chat.Usage{InputTokens: 2, OutputTokens: 4, Estimated: true}
	if reply.Content != "more more more " || reply.FinishReason != "" || reply.Usage != want {
		t.Errorf("got %+v", reply)
	}
	if reply.CostUSD == nil || *reply.CostUSD <= 0 || reply.LatencyMS <= 0 {
		t.Errorf("the part of a reply costs %v and took %v ms", reply.CostUSD, reply.LatencyMS)
	}
}

// A server that does not stream has sent all of its reply before anyone can say that it is enough.
func TestEnoughOfAWholeReply(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		send(w, 200, "application/json", wholeReply)
	}))
	t.Cleanup(server.Close)
	reply, err := open(t, spec("openai-compatible", server.URL), wire.Options{}).Complete(t.Context(),
		&chat.Request{Stream: true}, func(chat.Delta) error { return providers.ErrEnough })
	if err != nil || reply.Content != "It shipped." || reply.Usage.OutputTokens != 3 {
		t.Errorf("got %+v, %v", reply, err)
	}
}
