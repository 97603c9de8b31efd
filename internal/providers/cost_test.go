package providers

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestCost(t *testing.T) {
	t.Parallel()
	usage := chat.Usage{InputTokens: 1000, OutputTokens: 2000, CachedTokens: 200, CacheWriteTokens: 200}
	pricing := &scenario.Pricing{InputPer1K: 1, OutputPer1K: 2}
	cases := []struct {
		name  string
		spec  scenario.Provider
		reply chat.Reply
		want  *float64
	}{
		{"configured", scenario.Provider{Type: "openai", Model: "gpt-4o", Pricing: pricing}, chat.Reply{}, new(5.0)},
		{"configured, with cached tokens", scenario.Provider{Type: "vllm",
			Pricing: &scenario.Pricing{InputPer1K: 1, OutputPer1K: 2, CachedPer1K: new(0.5)}}, chat.Reply{}, new(4.9)},
		{"configured, with a cache that is written", scenario.Provider{Type: "vllm", Pricing: &scenario.Pricing{
			InputPer1K: 1, OutputPer1K: 2, CachedPer1K: new(0.5), CacheWritePer1K: new(1.25)}}, chat.Reply{}, new(4.95)},
		{"set below", scenario.Provider{Type: "openai", Pricing: pricing}, chat.Reply{CostUSD: new(0.25)}, new(0.25)},
		{"listed", scenario.Provider{Type: "openai", Model: "gpt-4o-mini"}, chat.Reply{}, new(0.001335)},
		{"listed by the reply", scenario.Provider{Type: "azure", Model: "my-deployment"},
			chat.Reply{Model: "gpt-4o-mini-2024-07-18"}, new(0.001335)},
		{"an unknown model", scenario.Provider{Type: "openai", Model: "gpt-99"}, chat.Reply{Model: "gpt-99"}, nil},
		{"a local server", scenario.Provider{Type: "ollama", Model: "llama3.2"}, chat.Reply{}, new(0.0)},
		{"a server of somebody", scenario.Provider{Type: "vllm", Model: "gpt-4o-mini"}, chat.Reply{}, nil},
		{"a gateway", scenario.Provider{Type: "openai-compatible", Model: "gpt-4o-mini"}, chat.Reply{}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.reply.Usage = usage
			f := &fake{answer: func(context.Context, int, func(chat.Delta) error) (chat.Reply, error) { return c.reply, nil }}
			got, err := Cost(f, &c.spec).Complete(t.Context(), &chat.Request{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.CostUSD, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("cost (-want +got):\n%s", diff)
			}
		})
	}
}

func TestListPrice(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]float64{ // input per million; 0: not known
		"gpt-4o":                        2.5,
		"GPT-4o":                        2.5,
		"gpt-4o-2024-08-06":             2.5,
		"gpt-4o-2024-05-13":             5, // a version with a price of its own
		"openai/gpt-4o-mini-2024-07-18": 0.15,
		"gpt-4-1106-preview":            10,
		"gpt-4-0613":                    30,
		"o3-mini":                       1.1,
		"claude-3-5-haiku-latest":       0.8,
		"claude-sonnet-4-5-20250929":    3,
		"claude-sonnet-4@20250514":      3,
		"models/gemini-2.0-flash-001":   0.1,
		"gemini-3-flash-preview":        0.5,
		"gpt-4o-audio-preview":          0, // tokens of sound cost more
		"gpt-4o-search-preview":         0,
		"gpt-5-pro-max":                 0,
		"o3-deep-research":              0,
		"my-gpt-4o":                     0,
		"":                              0,
	} {
		got := 0.0
		if p := ListPrice(model); p != nil {
			got = p.Input
		}
		if got != want {
			t.Errorf("%q: input costs %v, want %v", model, got, want)
		}
	}
}

func TestLongPrompts(t *testing.T) {
	t.Parallel()
	p := ListPrice("gemini-2.5-pro")
	for tokens, want := range map[int]float64{200_000: 0.25, 200_001: 0.5000025} {
		if got := p.USD(chat.Usage{InputTokens: tokens}); got != want {
			t.Errorf("%d tokens cost %v, want %v", tokens, got, want)
		}
	}
}

func TestPriceTable(t *testing.T) {
	t.Parallel()
	table, err := readPrices(pricesJSON)
	if err != nil {
		t.Fatal(err)
	}
	if table.AsOf == "" || table.Source == "" || table.Unit != "USD per 1,000,000 tokens" || len(table.Models) < 50 {
		t.Errorf("as of %q, source %q, unit %q, %d models", table.AsOf, table.Source, table.Unit, len(table.Models))
	}
	for name, p := range table.Models {
		rates := []Rate{p.Rate}
		if p.Long != nil {
			rates = append(rates, p.Long.Rate)
		}
		for _, r := range rates {
			dear := r.Output > r.Input || r.Output == 0 && strings.HasPrefix(name, "text-embedding-")
			if r.Input <= 0 || !dear || r.Cached != nil && (*r.Cached <= 0 || *r.Cached >= r.Input) {
				t.Errorf("%s: %+v cannot be", name, r)
			}
		}
	}
	if _, err := readPrices([]byte("{")); err == nil {
		t.Error("half a table was read")
	}
}
