package openai

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// roundTrip is a transport made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func response(status int, kind, body string, headers ...string) *http.Response {
	h := http.Header{"Content-Type": {kind}}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{
		StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// answers is a transport that gives the same answer to every request.
func answers(status int, kind, body string, headers ...string) roundTrip {
	return func(*http.Request) (*http.Response, error) { return response(status, kind, body, headers...), nil }
}

// sees is a transport that answers, and keeps the headers of the last request.
func sees(header *http.Header) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		*header = r.Header
		return response(200, "application/json", wholeReply), nil
	}
}

// ask sends one request to a provider behind a transport.
func ask(t testing.TB, transport http.RoundTripper, stream bool) (chat.Reply, error) {
	t.Helper()
	p := open(t, spec("openai", "https://api.test/v1"), wire.Options{Transport: transport})
	return p.Complete(t.Context(), &chat.Request{Stream: stream, Messages: make([]chat.Message, 3)}, nil)
}

func asError(err error, into **providers.Error) bool { return errors.As(err, into) }
