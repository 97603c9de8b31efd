package openai

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func spec(kind, base string) *scenario.Provider { return providertest.Spec(kind, base) }

// open makes a provider that lets go of its connections when the test ends.
func open(t testing.TB, s *scenario.Provider, o wire.Options) *wire.Provider {
	t.Helper()
	p, err := New(s, o)
	return providertest.Opened(t, p, err)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{typeOpenAI, typeAzure, typeOllama, typeVLLM, typeCompatible} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			server := chatAPI(t)
			providertest.Run(t, providertest.Dialect{
				Faults: providertest.HTTPFaults, API: &server, Reply: "c1",
				Finishes: map[string]string{
					"stop": "stop", "length": "length", "tool_calls": "tool_calls", "function_call": "tool_calls",
					"content_filter": "content_filter", "error": "", "MALFORMED_FUNCTION_CALL": "",
				},
				Open: func(t *testing.T, s providertest.Script) providers.Provider {
					described := spec(kind, serve(t, s).URL)
					return open(t, providertest.Patience(described, s), wire.Options{Jobs: 4})
				},
			})
		})
	}
}
