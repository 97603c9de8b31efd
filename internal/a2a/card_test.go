package a2a

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// TestEndpoints: a card may send to another address, as long as nothing gets there that was meant for the host alone,
// and nobody behind a public host leads to what only this machine can reach.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, card, secret, want string }{
		{"http://a.test", `{"url": "http://a.test/rpc"}`, "the token", "http://a.test/rpc"},
		{"http://a.test/x", `{"url": "rpc"}`, "the token", "http://a.test/x/.well-known/rpc"},
		{"http://me:pw@a.test", `{"url": "http://a.test/rpc"}`, "the password", "http://me:pw@a.test/rpc"},
		{"http://a.test", `{"url": "https://a.test/rpc"}`, "the token", "https://a.test/rpc"},
		{"https://a.test", `{"url": "http://a.test/rpc"}`, "", "not reached over TLS"},
		{"https://a.test", `{"url": "https://b.test/rpc"}`, "", "https://b.test/rpc"},
		{"https://a.test", `{"url": "https://b.test/rpc"}`, "the token", `another host, b.test, to which the token does not go`},
		{"https://a.test", `{"url": "https://a.test:8443/rpc"}`, "the token", `another host, a.test:8443, to which`},
		{"http://localhost:9001", `{"url": "http://127.0.0.1:9001/invoke"}`, "the token", "http://127.0.0.1:9001/invoke"},
		{"http://[::1]:9001", `{"url": "http://localhost:9001/invoke"}`, "the token", "http://localhost:9001/invoke"},
		{"http://localhost:9001", `{"url": "http://127.0.0.1:9002/invoke"}`, "the token", "to which the token does not go"},
		{"http://localhost:9001", `{"url": "http://127.0.0.1:9002/invoke"}`, "", "http://127.0.0.1:9002/invoke"},
		{"http://a.test", `{"url": "http://127.0.0.1/"}`, "", "is a private address"},
		{"http://a.test", `{"url": "http://localhost:80/"}`, "", "is a private address"},
		{"http://a.test", `{"url": "http://169.254.169.254/latest"}`, "", "is a private address"},
		{"http://a.test", `{"url": "http://[fe80::1]/"}`, "", "is a private address"},
		{"http://a.test", `{"url": "http://10.0.0.1/"}`, "", "is a private address"},
		{"http://a.test", `{"url": "http://metadata.google.internal/"}`, "", "is a private address"},
		{"http://10.0.0.2", `{"url": "http://10.0.0.1/"}`, "", "http://10.0.0.1/"},
		{"http://a.test", `{"url": "gopher://a.test/"}`, "", "cannot be called"},
		{"http://a.test", `{"url": "http:///x"}`, "", "cannot be called"},
		{"http://a.test", `{"url": "http://%zz/"}`, "", "cannot be called"},
	} {
		client := &Client{
			Base: c.base, Secret: c.secret, Excerpt: func(text string) string { return ": " + text },
			Do: func(context.Context, *Request) (*Response, error) {
				return &Response{Status: http.StatusOK, Body: []byte(c.card)}, nil
			},
		}
		card, err := client.Card(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		at, found, err := client.Endpoint(card)
		got := at.URL
		if err != nil {
			got = err.Error()
		}
		if !found || err == nil && got != c.want || err != nil && !strings.Contains(got, c.want) {
			t.Errorf("%s, %s, %q: %s, want %s", c.base, c.card, c.secret, got, c.want)
		}
	}
}

// TestVersions: which words an agent understands.
func TestVersions(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"": false, "0.3.0": false, "0.2": false, "1.0": true, "1": true, " 1.0.1": true, "2.0": true} {
		if newer(version) != want {
			t.Errorf("%q: %v", version, !want)
		}
	}
}
