package providertest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Spec describes a provider of a type at a server.
func Spec(kind, base string) *scenario.Provider {
	return &scenario.Provider{Meta: scenario.Meta{ID: ID}, Type: kind, Model: "some-model", BaseURL: base, APIKey: Secret}
}

// Patience gives a provider the time that a script wants it to have, and returns it.
func Patience(spec *scenario.Provider, s Script) *scenario.Provider {
	spec.RequestTimeout, spec.StreamIdleTimeout = hang.Guard, hang.Guard
	switch {
	case s.Fault == Hang && !s.Patient:
		spec.RequestTimeout = 100 * time.Millisecond // is meant to pass
	case s.Fault == Silence, s.Fault == KeepAlive:
		spec.StreamIdleTimeout = 100 * time.Millisecond // is meant to pass
	}
	return spec
}

// Opened is a client that was opened without an error. It lets go of its connections when the test ends.
func Opened[C io.Closer](t testing.TB, client C, err error) C {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

// Variables is an environment: names, each followed by its value.
func Variables(set ...string) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i+1 < len(set); i += 2 {
			if set[i] == name {
				return set[i+1], true
			}
		}
		return "", false
	}
}

// RoundTrip is a transport made of a function.
type RoundTrip func(*http.Request) (*http.Response, error)

// RoundTrip is that of http.RoundTripper.
func (f RoundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Response is what a server answers, with headers as names that are each followed by a value.
func Response(status int, kind, body string, headers ...string) *http.Response {
	h := http.Header{"Content-Type": {kind}}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{
		StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// Answers is a transport that gives the same answer to every request.
func Answers(status int, kind, body string, headers ...string) RoundTrip {
	return func(*http.Request) (*http.Response, error) { return Response(status, kind, body, headers...), nil }
}

// Encode is a value as JSON.
func Encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// Same reports whether a value is what a JSON text says.
func Same(t testing.TB, what, want string, got any) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(want), &v); err != nil {
		t.Fatalf("%v: %s", err, want)
	}
	if diff := cmp.Diff(v, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// StreamInBody is API.Streams for APIs whose requests say themselves that the reply is to stream.
func StreamInBody(t testing.TB) func(*http.Request, []byte) bool {
	return func(_ *http.Request, body []byte) bool {
		var asked struct {
			Stream bool `json:"stream"`
		}
		if err := json.Unmarshal(body, &asked); err != nil {
			t.Errorf("unreadable request %q: %v", body, err)
		}
		return asked.Stream
	}
}

// Sent is a request as an encoder writes it, decoded.
func Sent(t testing.TB, e interface {
	Encode(*chat.Request) ([]byte, error)
}, req *chat.Request,
) (jsonvalue.Object, error) {
	t.Helper()
	data, err := e.Encode(req)
	if err != nil {
		return nil, err
	}
	var v jsonvalue.Object
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return v, nil
}

// ExpectedCall is what a server must see of a call: its address, and headers by name; "": the header must not be there.
// A URL that begins with "!" is the error of opening the provider.
type ExpectedCall struct {
	URL, Address string // Address is what the provider tells of itself
	Header       map[string]string
}

// CheckCall makes a call, answered with a document, by a provider that open opens over a transport.
func CheckCall[P interface {
	providers.Provider
	Address() string
}](t testing.TB, open func(http.RoundTripper) (P, error), answer string, stream bool, want ExpectedCall) {
	t.Helper()
	var got *http.Request
	p, err := open(RoundTrip(func(r *http.Request) (*http.Response, error) {
		got = r
		return Response(200, "application/json", answer), nil
	}))
	if err != nil {
		if "!"+err.Error() != want.URL {
			t.Errorf("got %v, want %s", err, want.URL)
		}
		return
	}
	if _, err := p.Complete(t.Context(), &chat.Request{Stream: stream, Messages: []chat.Message{Hi}}, nil); err != nil {
		t.Fatal(err)
	}
	if got.URL.String() != want.URL || p.Address() != want.Address {
		t.Errorf("called %s of %s, want %s of %s", got.URL, p.Address(), want.URL, want.Address)
	}
	for name, want := range want.Header {
		if value := got.Header.Get(name); value != want {
			t.Errorf("%s: %q, want %q", name, value, want)
		}
	}
	if kind := got.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		t.Errorf("content type %s", kind)
	}
}
