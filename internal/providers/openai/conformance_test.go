package openai

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// spec describes a provider of a type at a server.
func spec(kind, base string) *scenario.Provider {
	return &scenario.Provider{
		Meta: scenario.Meta{ID: providertest.ID}, Type: kind, Model: "some-model", BaseURL: base,
		APIKey: providertest.Secret,
	}
}

// open makes a provider that lets go of its connections when the test ends.
func open(t testing.TB, s *scenario.Provider, o wire.Options) *wire.Provider {
	t.Helper()
	p, err := New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, kind := range Types() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			server := chatAPI(t)
			providertest.Run(t, providertest.Dialect{
				Faults: providertest.HTTPFaults, API: &server,
				Finishes: map[string]string{
					"stop": "stop", "length": "length", "tool_calls": "tool_calls", "function_call": "tool_calls",
					"content_filter": "content_filter", "error": "", "MALFORMED_FUNCTION_CALL": "",
				},
				Open: func(t *testing.T, s providertest.Script) providers.Provider {
					described := spec(kind, serve(t, s).URL)
					described.RequestTimeout, described.StreamIdleTimeout = hang.Guard, hang.Guard
					switch {
					case s.Fault == providertest.Hang && !s.Patient:
						described.RequestTimeout = 100 * time.Millisecond // is meant to pass
					case s.Fault == providertest.Silence, s.Fault == providertest.KeepAlive:
						described.StreamIdleTimeout = 100 * time.Millisecond // is meant to pass
					}
					return open(t, described, wire.Options{Jobs: 4})
				},
			})
		})
	}
}
