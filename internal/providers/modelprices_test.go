package providers_test

import (
	"math"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestConfiguredPrices: the file of a provider goes before the config, and the config before the list prices.
func TestConfiguredPrices(t *testing.T) {
	t.Parallel()
	million := chat.Usage{InputTokens: 1_000_000}
	of := func(usd float64) *scenario.Pricing { return &scenario.Pricing{InputPer1K: usd / 1000} }
	prices := scenario.ModelPrices{"gpt-4o": of(7), "mine": of(8)}
	for name, c := range map[string]struct {
		spec scenario.Provider
		want float64
	}{
		"the list price":      {scenario.Provider{Type: "openai", Model: "gpt-4o"}, 2.5},
		"the config":          {scenario.Provider{Type: "openai", Model: "gpt-4o", Prices: prices}, 7},
		"a version":           {scenario.Provider{Type: "openai", Model: "gpt-4o-2024-08-06", Prices: prices}, 7},
		"another model":       {scenario.Provider{Type: "openai", Model: "gpt-4o-mini", Prices: prices}, 0.15},
		"the file":            {scenario.Provider{Type: "openai", Model: "gpt-4o", Prices: prices, Pricing: of(9)}, 9},
		"a gateway":           {scenario.Provider{Type: "openai-compatible", Model: "mine", Prices: prices}, 8},
		"a local model":       {scenario.Provider{Type: "ollama", Model: "mine", Prices: prices}, 8},
		"another local model": {scenario.Provider{Type: "ollama", Model: "other", Prices: prices}, 0},
		"nothing is known":    {scenario.Provider{Type: "openai-compatible", Model: "other", Prices: prices}, math.NaN()},
	} {
		price := providers.PriceFor(&c.spec)
		if price == nil != math.IsNaN(c.want) || price != nil && math.Abs(price.USD(million)-c.want) > 1e-9 {
			t.Errorf("%s: got %+v, want %v", name, price, c.want)
		}
	}
	program := &scenario.Provider{Type: "command", Prices: prices}
	for model, want := range map[string]float64{"gpt-4o": 7, "mine": 8, "gpt-4o-mini": 0.15, "unheard-of": math.NaN()} {
		price := providers.TracedPrice(program, model)
		if price == nil != math.IsNaN(want) || price != nil && math.Abs(price.USD(million)-want) > 1e-9 {
			t.Errorf("a trace of %s: got %+v, want %v", model, price, want)
		}
	}
	if providers.ListPricesOf() == "" || !providers.Listed(&scenario.Provider{Type: "openai", Model: "gpt-4o"}) ||
		providers.Listed(&scenario.Provider{Type: "openai", Model: "gpt-4o", Prices: prices}) {
		t.Error("where prices come from is not told")
	}
}
