package gemini

import (
	"net/http"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// inProject is a provider whose model is hosted on Vertex. Its key is a token.
func inProject(base string) *scenario.Provider {
	p := spec(base)
	p.Platform = &scenario.Platform{Type: "vertex", Region: "eu-west-1", Project: "shop"}
	return p
}

// hosted is the API as Vertex serves it.
func hosted(t testing.TB) providertest.API {
	const models = "/v1/projects/shop/locations/eu-west-1/publishers/google/models/some-model"
	server := api(t)
	server.Streams = func(r *http.Request, _ []byte) bool {
		switch r.RequestURI {
		case models + ":generateContent":
			return false
		case models + ":streamGenerateContent?alt=sse":
			return true
		}
		t.Errorf("called %s", r.RequestURI)
		return false
	}
	return server
}

// TestVertexConformance: the models are the same on Vertex.
func TestVertexConformance(t *testing.T) {
	t.Parallel()
	server := hosted(t)
	providertest.Run(t, providertest.Dialect{
		Faults: providertest.SingleReplyFaults(), API: &server, Thinks: true, Reply: "r1", Finishes: finishes,
		Open: func(t *testing.T, s providertest.Script) providers.Provider {
			described := inProject(providertest.Serve(t, hosted(t), s).URL)
			return open(t, providertest.Patience(described, s), wire.Options{Jobs: 4})
		},
	})
}

// TestVertexAddresses: where the calls go, whole and streamed, with a token and without a key.
func TestVertexAddresses(t *testing.T) {
	t.Parallel()
	s := inProject("")
	s.Platform.Region = "global"
	var got *http.Request
	p := open(t, s, wire.Options{Transport: providertest.RoundTrip(func(r *http.Request) (*http.Response, error) {
		got = r
		return providertest.Response(200, "application/json", whole(script("Hi"))), nil
	})})
	const host = "https://aiplatform.googleapis.com/v1/projects/shop/locations/global/publishers/google/models/some-model"
	for stream, want := range map[bool]string{false: host + ":generateContent", true: host + ":streamGenerateContent?alt=sse"} {
		req := &chat.Request{Messages: []chat.Message{says(chat.User, "Hi")}, Stream: stream}
		if _, err := p.Complete(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
		if to := got.URL.String(); to != want {
			t.Errorf("called %s, want %s", to, want)
		}
		if h := got.Header; h.Get("Authorization") != "Bearer "+providertest.Secret || h.Get(keyHeader) != "" {
			t.Errorf("headers %v", h)
		}
	}
}

// TestVertexThatLacks: what is missing is told before the first call.
func TestVertexThatLacks(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]*scenario.Platform{
		"platform vertex needs a region":  {Type: "vertex", Project: "p"},
		"platform vertex needs a project": {Type: "vertex", Region: "r"},
	} {
		s := spec("")
		s.Platform = p
		if _, err := New(s, wire.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %s", p, err, want)
		}
	}
}
