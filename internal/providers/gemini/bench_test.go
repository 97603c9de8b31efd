package gemini

import (
	"net/http"
	"testing"

	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// The replies that the benchmark of the OpenAI adapter gets, in the words of this API.
var (
	wholeReply = `{"candidates":[{"content":{"parts":[{"text":"It shipped."}]},"finishReason":"STOP"}],` +
		`"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3}}`
	wholeStream = "data: " + some(`{"text":"It "}`) + "\n\ndata: " + some(`{"text":"shipped."}`) + "\n\n" +
		`data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3}}` + "\n\n"
)

// BenchmarkComplete is a round, to be held against that of the OpenAI adapter.
func BenchmarkComplete(b *testing.B) {
	for _, mode := range []struct {
		name       string
		stream     bool
		body, kind string
	}{{"whole", false, wholeReply, "application/json"}, {"streamed", true, wholeStream, "text/event-stream"}} {
		b.Run(mode.name, func(b *testing.B) {
			p := open(b, spec("https://api.test"), wire.Options{Transport: providertest.RoundTrip(func(*http.Request) (*http.Response, error) {
				return providertest.Response(200, mode.kind, mode.body), nil
			})})
			req := providertest.Request(mode.stream)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Complete(b.Context(), req, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
