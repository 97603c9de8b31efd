package gemini

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
		Meta: scenario.Meta{ID: providertest.ID}, Type: "gemini", Model: "some-model", BaseURL: base,
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
		Faults: faults(), API: &server, Thinks: true, Finishes: finishes,
		Open: func(t *testing.T, s providertest.Script) providers.Provider {
			described := spec(providertest.Serve(t, api(t), s).URL)
			patience(described, s)
			return open(t, described, wire.Options{Jobs: 4})
		},
	})
}
