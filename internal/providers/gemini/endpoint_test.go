package gemini

import (
	"net/http"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestEndpoint: where calls go and what goes along with them. The key is never in the address.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	const vendor = "https://generativelanguage.googleapis.com/v1beta/"
	env := providertest.Variables
	for name, c := range map[string]struct {
		spec   scenario.Provider
		getenv func(string) (string, bool)
		want   string // address up to the call; an error begins with "!"
		header map[string]string
	}{
		"the vendor": {scenario.Provider{Model: "m"}, env("GOOGLE_API_KEY", "k1"), vendor + "models/m",
			map[string]string{keyHeader: "k1", "Authorization": ""}},
		"the first of two keys": {scenario.Provider{Model: "m"}, env("GOOGLE_API_KEY", "k1", "GEMINI_API_KEY", "k2"),
			vendor + "models/m", map[string]string{keyHeader: "k2"}},
		"no key": {scenario.Provider{Model: "m"}, nil, "!provider p: there is no key; set GEMINI_API_KEY or GOOGLE_API_KEY, or " +
			"name a variable in credential.credential_env", nil},
		"a model by its path":     {scenario.Provider{Model: "models/m"}, env("GEMINI_API_KEY", "k"), vendor + "models/m", nil},
		"a tuned model":           {scenario.Provider{Model: "tunedModels/m-1"}, env("GEMINI_API_KEY", "k"), vendor + "tunedModels/m-1", nil},
		"a model with a slash":    {scenario.Provider{Model: "google/m?x"}, env("GEMINI_API_KEY", "k"), vendor + "models/google%2Fm%3Fx", nil},
		"a gateway without a key": {scenario.Provider{Model: "m", BaseURL: "http://localhost:4000/a b/"}, nil, "http://localhost:4000/a%20b/v1beta/models/m", map[string]string{keyHeader: ""}},
		"with the version":        {scenario.Provider{Model: "m", BaseURL: "http://x/v1beta/"}, nil, "http://x/v1beta/models/m", nil},
		"with the models":         {scenario.Provider{Model: "m", BaseURL: "http://x/v1beta/models"}, nil, "http://x/v1beta/models/m", nil},
		"with the call":           {scenario.Provider{Model: "m", BaseURL: "http://x/v1beta/models/m:generateContent"}, nil, "http://x/v1beta/models/m", nil},
		"no address":              {scenario.Provider{Model: "m", BaseURL: "ftp://x"}, nil, `!provider p: base_url must be an http or https address, found "ftp://x"`, nil},
		"headers of a user":       {scenario.Provider{Model: "m", BaseURL: "http://x", Headers: map[string]string{"x-goog-user-project": "b", "x-goog-api-key": "stolen"}}, nil, "http://x/v1beta/models/m", map[string]string{"X-Goog-User-Project": "b", keyHeader: ""}},
	} {
		c.spec.ID, c.spec.Type = "p", "gemini"
		for call, stream := range map[string]bool{":generateContent": false, ":streamGenerateContent?alt=sse": true} {
			t.Run(name+call, func(t *testing.T) {
				t.Parallel()
				open := func(transport http.RoundTripper) (*wire.Provider, error) {
					return New(&c.spec, wire.Options{Getenv: c.getenv, Transport: transport})
				}
				want := providertest.ExpectedCall{URL: c.want + call, Address: c.want + ":generateContent", Header: c.header}
				if strings.HasPrefix(c.want, "!") {
					want.URL = c.want
				}
				providertest.CheckCall(t, open, whole(script("Hi")), stream, want)
			})
		}
	}
}

// A query of the user's own stays in the address, beside the one that asks for events.
func TestQueryOfTheUser(t *testing.T) {
	t.Parallel()
	s := spec("http://x/?team=a")
	e, err := newEndpoint(s, wire.Options{})
	if err != nil || e.URL != "http://x/v1beta/models/some-model:generateContent?team=a" ||
		e.StreamURL != "http://x/v1beta/models/some-model:streamGenerateContent?alt=sse&team=a" {
		t.Errorf("%s and %s, %v", e.URL, e.StreamURL, err)
	}
}
