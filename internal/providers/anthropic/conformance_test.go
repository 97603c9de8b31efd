package anthropic

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func spec(base string) *scenario.Provider { return providertest.Spec("anthropic", base) }

// open makes a provider that lets go of its connections when the test ends.
func open(t testing.TB, s *scenario.Provider, o wire.Options) *wire.Provider {
	t.Helper()
	p, err := New(s, o)
	return providertest.Opened(t, p, err)
}

var finishes = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "pause_turn": "pause_turn", "weird": "weird", "max_tokens": "length",
	"model_context_window_exceeded": "length", "tool_use": "tool_calls", "refusal": "content_filter", "error": "",
}

func TestConformance(t *testing.T) {
	t.Parallel()
	server := api(t)
	providertest.Run(t, providertest.Dialect{
		Faults: providertest.SingleReplyFaults(), API: &server, Thinks: true, Reply: "msg_1", Finishes: finishes,
		Open: func(t *testing.T, s providertest.Script) providers.Provider {
			described := spec(providertest.Serve(t, api(t), s).URL)
			return open(t, providertest.Patience(described, s), wire.Options{Jobs: 4})
		},
	})
}
