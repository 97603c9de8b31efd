package anthropic

import (
	"net/http"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestEndpoint: where calls go and what goes along with them.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	env := providertest.Variables
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
			open := func(transport http.RoundTripper) (*wire.Provider, error) {
				return New(&c.spec, wire.Options{Getenv: c.getenv, Transport: transport})
			}
			providertest.CheckCall(t, open, whole(script("Hi")), false, providertest.ExpectedCall{URL: c.want, Address: c.want, Header: c.header})
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
