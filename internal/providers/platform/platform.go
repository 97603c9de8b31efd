// Package platform connects to platforms that host vendors' models: how calls are addressed and authorized there, and
// how streams are framed. The vendors' packages encode the calls.
//
// Credentials are resolved at the first call, once for all concurrent calls, and again when they are refused.
package platform

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// base is the address of a host, or what the file has in its place.
func base(spec *scenario.Provider, host string) (*url.URL, error) {
	if spec.BaseURL != "" {
		host = spec.BaseURL
	}
	return wire.BaseURL(host)
}

// escaped is a text as one step of a path, with every sign that has a meaning in one spelled out.
func escaped(text string) string {
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(text))
	for _, c := range []byte(text) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.', c == '~':
			out = append(out, c)
		default:
			out = append(out, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(out)
}

// at is the address of a call on a host. path is that of the call, escaped but for the model.
func at(u *url.URL, before, model, after string) string {
	to := *u
	to.RawPath = u.EscapedPath() + before + escaped(model) + after
	to.Path = u.Path + before + model + after
	return to.String()
}

// lacking is the error of a missing setting without which the address is unknown.
func lacking(spec *scenario.Provider, what, hint string) error {
	return &providers.Misconfigured{
		Pos: spec.Platform.Pos, Msg: "platform " + spec.Platform.Type + " needs " + what, Hint: hint,
	}
}

// variable is a variable of the environment; "": it is not set.
func variable(o *wire.Options, names ...string) string {
	if o.Getenv == nil {
		return ""
	}
	for _, name := range names {
		if value, _ := o.Getenv(name); value != "" {
			return value
		}
	}
	return ""
}

// client makes the connections over which credentials are fetched.
func client(o *wire.Options) *http.Client {
	transport := o.Transport
	if transport == nil {
		transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dial.New(o.Offline), DisableKeepAlives: true,
			TLSHandshakeTimeout: 15 * time.Second,
		}
	}
	return &http.Client{Transport: transport, CheckRedirect: dial.Stay}
}

// hint says what to do when credentials are not accepted.
func hint(from func() string) func(status int, r wire.Report) string {
	return func(status int, _ wire.Report) string {
		switch status {
		case http.StatusUnauthorized:
			return "the credentials from " + from() + " were not accepted"
		case http.StatusForbidden:
			return "the credentials from " + from() + " may not do this"
		}
		return ""
	}
}

// credentialCache has the credentials that all calls of a provider share. Its zero value has none.
type credentialCache[T any] struct {
	turn  chan struct{} // its holder may resolve the credentials
	value T
	known bool
}

func newCredentialCache[T any]() *credentialCache[T] {
	return &credentialCache[T]{turn: make(chan struct{}, 1)}
}

// get returns the known value, or calls find if there is none or it has expired. Of concurrent callers one calls find,
// and the others wait for it, or for the end of their context.
func (k *credentialCache[T]) get(
	ctx context.Context, good func(T) bool, find func(context.Context) (T, error),
) (T, error) {
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
	defer func() { <-k.turn }()
	if k.known && good(k.value) {
		return k.value, nil
	}
	value, err := find(ctx)
	if err == nil {
		k.value, k.known = value, true
	}
	return value, err
}
