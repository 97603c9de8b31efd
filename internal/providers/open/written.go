package open

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Written is a model call as the client of a provider writes it.
type Written struct {
	Method, URL string
	Header      http.Header
	Body        []byte
	// NoKey says that the provider has no key, and that a word replaces it.
	NoKey bool
}

// ErrNoWire is returned for a provider that answers by itself: it sends nothing to anybody.
var ErrNoWire = errors.New("it answers by itself, and sends no request")

// Write returns the request that a provider would send for a model call. Nothing is sent, and no credentials are
// fetched.
func Write(ctx context.Context, p *scenario.Provider, o Options, req *chat.Request) (*Written, error) {
	if err := Supported(p); err != nil {
		return nil, err
	}
	if Simulated(p.Type) {
		return nil, ErrNoWire
	}
	var page captureTransport
	client, err := withoutSending(p, o, &page)
	if err != nil {
		return nil, err
	}
	defer func() { _ = providers.Close(client) }() // it has no connections
	if _, err = client.Complete(ctx, req, nil); page.URL == "" {
		return nil, err
	}
	return &page.Written, nil
}

// NewUnsent makes the provider that p describes without its key; it sends nothing.
func NewUnsent(p *scenario.Provider, o Options) (providers.Provider, error) {
	return withoutSending(p, o, new(captureTransport))
}

func withoutSending(p *scenario.Provider, o Options, page *captureTransport) (providers.Provider, error) {
	o.transport, o.Retries = page, new(int)
	client, err := New(p, o)
	if failed, ok := errors.AsType[*providers.Error](err); ok && failed.Kind == providers.Auth {
		keyless := *p
		keyless.APIKey, keyless.KeyUnset, keyless.KeyFile, keyless.KeyEnv = "no-key", "", "", ""
		page.NoKey = true
		client, err = New(&keyless, o)
	}
	return client, err
}

// captureTransport takes down the request that would be sent.
type captureTransport struct{ Written }

var errNotSent = errors.New("the request is only written")

// RoundTrip implements http.RoundTripper.
func (p *captureTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		if err := r.Body.Close(); err != nil {
			return nil, err
		}
	}
	p.Method, p.URL, p.Header, p.Body = r.Method, r.URL.String(), r.Header.Clone(), body
	return nil, errNotSent
}
