package gemini

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func spec(base string) *scenario.Provider { return providertest.Spec("gemini", base) }

// open makes a provider that lets go of its connections when the test ends.
func open(t testing.TB, s *scenario.Provider, o wire.Options) *wire.Provider {
	t.Helper()
	p, err := New(s, o)
	return providertest.Opened(t, p, err)
}

var finishes = map[string]string{
	"STOP": "stop", "FUNCTION_CALL": "tool_calls", "MAX_TOKENS": "length", "SAFETY": "content_filter",
	"RECITATION": "content_filter", "BLOCKLIST": "content_filter", "PROHIBITED_CONTENT": "content_filter",
	"SPII": "content_filter", "LANGUAGE": "content_filter", "MODEL_ARMOR": "content_filter",
	"IMAGE_SAFETY": "content_filter", "IMAGE_PROHIBITED_CONTENT": "content_filter", "IMAGE_OTHER": "content_filter",
	"IMAGE_RECITATION": "content_filter", "MALFORMED_FUNCTION_CALL": "", "UNEXPECTED_TOOL_CALL": "",
	"TOO_MANY_TOOL_CALLS": "", "MISSING_THOUGHT_SIGNATURE": "", "MALFORMED_RESPONSE": "", "OTHER": "",
	"SOMETHING_NEW": "SOMETHING_NEW",
}

func TestConformance(t *testing.T) {
	t.Parallel()
	server := api(t)
	providertest.Run(t, providertest.Dialect{
		Faults: providertest.SingleReplyFaults(), API: &server, Thinks: true, Reply: "r1", Finishes: finishes,
		Open: func(t *testing.T, s providertest.Script) providers.Provider {
			described := spec(providertest.Serve(t, api(t), s).URL)
			return open(t, providertest.Patience(described, s), wire.Options{Jobs: 4})
		},
	})
}
