package anthropic

import (
	"net/http"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestEndpoint: where calls go and what goes along with them.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	env := func(set ...string) func(string) (string, bool) {
		return func(name string) (string, bool) {
			for i := 0; i+1 < len(set); i += 2 {
				if set[i] == name {
					return set[i+1], true
				}
			}
			return "", false
		}
	}
	for name, c := range map[string]struct {
		spec   scenario.Provider
		getenv func(string) (string, bool)
		want   string // address; an error begins with "!"
		header map[string]string
	}{
		"the vendor": {scenario.Provider{}, env("CLAUDE_API_KEY", "k1"), "https://api.anthropic.com/v1/messages",
			map[string]string{"X-Api-Key": "k1", "Anthropic-Version": "2023-06-01", "Authorization": ""}},
		"the first of two keys": {scenario.Provider{}, env("CLAUDE_API_KEY", "k1", "ANTHROPIC_API_KEY", "k2"),
			"https://api.anthropic.com/v1/messages", map[string]string{"X-Api-Key": "k2"}},
		"no key": {scenario.Provider{}, nil, "!provider p: there is no key; set ANTHROPIC_API_KEY or CLAUDE_API_KEY, or name a " +
			"variable in credential.credential_env", nil},
		"a gateway without a key": {scenario.Provider{BaseURL: "http://localhost:4000/anthropic/"}, nil,
			"http://localhost:4000/anthropic/v1/messages", map[string]string{"X-Api-Key": ""}},
		"with the version":  {scenario.Provider{BaseURL: "http://x/v1"}, nil, "http://x/v1/messages", nil},
		"with the call":     {scenario.Provider{BaseURL: "http://x/v1/messages"}, nil, "http://x/v1/messages", nil},
		"no address":        {scenario.Provider{BaseURL: "ftp://x"}, nil, `!provider p: base_url must be an http or https address, found "ftp://x"`, nil},
		"another version":   {scenario.Provider{BaseURL: "http://x", Tuning: scenario.Tuning{APIVersion: "2030-01-01"}}, nil, "http://x/v1/messages", map[string]string{"Anthropic-Version": "2030-01-01"}},
		"headers of a user": {scenario.Provider{BaseURL: "http://x", Headers: map[string]string{"anthropic-beta": "b", "anthropic-version": "v", "x-api-key": "stolen"}}, nil, "http://x/v1/messages", map[string]string{"Anthropic-Beta": "b", "Anthropic-Version": "v", "X-Api-Key": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.spec.ID, c.spec.Type, c.spec.Model = "p", "anthropic", "m"
			var got *http.Request
			p, err := New(&c.spec, wire.Options{Getenv: c.getenv, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				got = r
				return canned(200, "application/json", whole(script("Hi"))), nil
			})})
			if err != nil {
				if "!"+err.Error() != c.want {
					t.Errorf("got %v, want %s", err, c.want)
				}
				return
			}
			if _, err := p.Complete(t.Context(), &chat.Request{Messages: []chat.Message{says(chat.User, "Hi")}}, nil); err != nil {
				t.Fatal(err)
			}
			if got.URL.String() != c.want || p.Address() != c.want {
				t.Errorf("called %s, want %s", got.URL, c.want)
			}
			for name, want := range c.header {
				if value := got.Header.Get(name); value != want {
					t.Errorf("%s: %q, want %q", name, value, want)
				}
			}
			if kind := got.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
				t.Errorf("content type %s", kind)
			}
		})
	}
}

// TestMisconfigured: what the API cannot do is refused before the first call.
func TestMisconfigured(t *testing.T) {
	t.Parallel()
	s := spec("http://x")
	s.ReplyFormat = "json_object"
	if _, err := New(s, wire.Options{}); err == nil || !strings.Contains(err.Error(), "json_schema") {
		t.Errorf("got %v", err)
	}
}
