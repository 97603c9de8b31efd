package mock

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	kinds := map[providertest.Fault]providers.Kind{
		providertest.Status401: providers.Auth, providertest.Status429: providers.RateLimit,
		providertest.Status500: "", providertest.Status400: providers.Refused, providertest.BadJSON: providers.BadReply,
	}
	d := providertest.Dialect{Open: func(_ *testing.T, s providertest.Script) providers.Provider {
		reply := scenario.MockReply{Content: s.Text, FinishReason: s.Finish}
		if s.Usage != (chat.Usage{}) {
			reply.Usage = &s.Usage
		}
		for _, c := range s.Calls {
			args, bad := chat.ParseArgs(c.Args)
			reply.ToolCalls = append(reply.ToolCalls, chat.ToolCall{Name: c.Name, Args: args, BadArgs: bad})
		}
		if s.Fault != "" {
			reply.Error, reply.ErrorKind = "as the script says", string(kinds[s.Fault])
		}
		return New(Config{ID: providertest.ID, Model: "m", File: &scenario.MockFile{
			File: "mock.yaml",
			Scenarios: map[string]*scenario.MockScenario{
				"conformance": {Turns: []scenario.MockTurn{scenario.NewMockTurn(1, reply)}},
			},
		}})
	}}
	for fault := range kinds {
		d.Faults = append(d.Faults, fault)
	}
	providertest.Run(t, d)
}
