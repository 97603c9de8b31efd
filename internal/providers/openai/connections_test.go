package openai

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
)

const (
	wholeReply = `{"choices":[{"message":{"content":"It shipped."},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":9,"completion_tokens":3}}`
	wholeStream = `data: {"choices":[{"index":0,"delta":{"content":"It "},"finish_reason":null}]}` + "\n\n" +
		`data: {"choices":[{"index":0,"delta":{"content":"shipped."},"finish_reason":null}]}` + "\n\n" +
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
		`data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}` + "\n\ndata: [DONE]\n\n"
)

// counting starts a server that counts its connections and, of every three replies, streams one and fails one.
func counting(t *testing.T, arrived func()) (url string, opened *atomic.Int64) {
	t.Helper()
	opened = new(atomic.Int64)
	var n atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		arrived()
		switch n.Add(1) % 3 {
		case 0:
			send(w, 200, "application/json", wholeReply)
		case 1:
			send(w, 200, "text/event-stream", wholeStream)
		default:
			send(w, 500, "text/plain", "no luck")
		}
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, opened
}

// TestConnections makes 500 calls that are all under way at the same moment, three times over, and looks at how many
// connections that took.
func TestConnections(t *testing.T) {
	t.Parallel()
	const jobs, rounds = 500, 3
	var here sync.WaitGroup
	url, opened := counting(t, func() {
		here.Done()
		here.Wait()
	})
	p := open(t, spec("openai", url), wire.Options{Jobs: jobs})
	for range rounds {
		here.Add(jobs)
		flood(t, p, jobs)
	}
	if n := opened.Load(); n < jobs || n > 2*jobs { // one whose call is over may not be free yet when the next round begins
		t.Errorf("%d connections for %d rounds of %d calls at once, want about one for each of a round", n, rounds, jobs)
	}
}

func TestFewConnections(t *testing.T) {
	t.Parallel()
	const jobs, calls = 8, 200
	url, opened := counting(t, func() {})
	flood(t, open(t, spec("openai", url), wire.Options{Jobs: jobs}), calls)
	if n := opened.Load(); n > 2*jobs { // one that the server closes just then is opened again
		t.Errorf("%d connections for %d calls, want about %d", n, calls, jobs)
	}
}

// flood makes n calls at once.
func flood(t *testing.T, p *wire.Provider, n int) {
	t.Helper()
	var g sync.WaitGroup
	var good atomic.Int64
	for range n {
		g.Go(func() {
			if _, err := p.Complete(t.Context(), &chat.Request{Stream: true}, nil); err == nil {
				good.Add(1)
			}
		})
	}
	g.Wait()
	if got := good.Load(); got < int64(n/2) {
		t.Errorf("%d of %d calls worked, want two thirds", got, n)
	}
}

func BenchmarkComplete(b *testing.B) {
	for _, mode := range []struct {
		name   string
		stream bool
		body   string
		kind   string
	}{{"whole", false, wholeReply, "application/json"}, {"streamed", true, wholeStream, "text/event-stream"}} {
		b.Run(mode.name, func(b *testing.B) {
			p := open(b, spec("openai", "https://api.test"), wire.Options{Transport: providertest.Answers(200, mode.kind, mode.body)})
			benchmark(b, p, mode.stream)
		})
		b.Run(mode.name+" over the wire", func(b *testing.B) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				send(w, 200, mode.kind, mode.body)
			}))
			b.Cleanup(server.Close)
			benchmark(b, open(b, spec("openai", server.URL), wire.Options{Jobs: 1}), mode.stream)
		})
	}
}

func benchmark(b *testing.B, p *wire.Provider, stream bool) {
	b.Helper()
	req := providertest.Request(stream)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Complete(b.Context(), req, nil); err != nil {
			b.Fatal(err)
		}
	}
}
