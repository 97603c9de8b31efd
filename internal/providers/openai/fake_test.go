package openai

import (
	"errors"
	"net/http"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// sees is a transport that answers, and keeps the headers of the last request.
func sees(header *http.Header) http.RoundTripper {
	return providertest.RoundTrip(func(r *http.Request) (*http.Response, error) {
		*header = r.Header
		return providertest.Response(200, "application/json", wholeReply), nil
	})
}

// ask sends one request to a provider behind a transport.
func ask(t testing.TB, transport http.RoundTripper, stream bool) (chat.Reply, error) {
	t.Helper()
	p := open(t, spec("openai", "https://api.test/v1"), wire.Options{Transport: transport})
	return p.Complete(t.Context(), &chat.Request{Stream: stream, Messages: make([]chat.Message, 3)}, nil)
}

func asError(err error, into **providers.Error) bool { return errors.As(err, into) }
