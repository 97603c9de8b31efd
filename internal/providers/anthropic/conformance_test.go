package anthropic

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

// spec describes a provider at a server.
func spec(base string) *scenario.Provider {
	return &scenario.Provider{
		Meta: scenario.Meta{ID: providertest.ID}, Type: "anthropic", Model: "some-model", BaseURL: base,
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

// patience gives a provider the time that a script wants it to have.
func patience(p *scenario.Provider, s providertest.Script) {
	p.RequestTimeout, p.StreamIdleTimeout = hang.Guard, hang.Guard
	switch {
	case s.Fault == providertest.Hang && !s.Patient:
		p.RequestTimeout = 100 * time.Millisecond // is meant to pass
	case s.Fault == providertest.Silence, s.Fault == providertest.KeepAlive:
		p.StreamIdleTimeout = 100 * time.Millisecond // is meant to pass
	}
}

// faults are those that this API can show.
func faults() (list []providertest.Fault) {
	for _, f := range providertest.HTTPFaults {
		if f != providertest.ChoiceError {
			list = append(list, f)
		}
	}
	return list
}

var finishes = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "pause_turn": "stop", "max_tokens": "length",
	"model_context_window_exceeded": "length", "tool_use": "tool_calls", "refusal": "content_filter", "error": "",
}

func TestConformance(t *testing.T) {
	t.Parallel()
	server := api(t)
	providertest.Run(t, providertest.Dialect{
		Faults: faults(), API: &server, Thinks: true, Finishes: finishes,
		Open: func(t *testing.T, s providertest.Script) providers.Provider {
			described := spec(providertest.Serve(t, api(t), s).URL)
			patience(described, s)
			return open(t, described, wire.Options{Jobs: 4})
		},
	})
}
