package providers

import (
	_ "embed" // the price table
	"encoding/json"
	"fmt"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

const million = 1e6

// Rate is what tokens cost, in USD per million.
type Rate struct {
	Input  float64  `json:"input"`
	Cached *float64 `json:"cached"` // nil: as Input
	// CacheWrite is for what is put into the provider's cache; nil: as Input.
	CacheWrite *float64 `json:"cache_write"`
	Output     float64  `json:"output"`
}

// Price is what a model costs.
type Price struct {
	Rate
	Long *LongRate `json:"long"` // nil: one rate for prompts of every length
}

// LongRate is the rate of calls whose prompt has more than Above tokens.
type LongRate struct {
	Above int `json:"above"`
	Rate
}

// USD is the price of one call.
func (p *Price) USD(u chat.Usage) float64 {
	r := &p.Rate
	if p.Long != nil && u.InputTokens > p.Long.Above {
		r = &p.Long.Rate
	}
	cached := min(u.CachedTokens, u.InputTokens)
	written := min(u.CacheWriteTokens, u.InputTokens-cached)
	return (float64(u.InputTokens-cached-written)*r.Input + float64(cached)*r.or(r.Cached) +
		float64(written)*r.or(r.CacheWrite) + float64(u.OutputTokens)*r.Output) / million
}

// or is a rate that may be that of any input.
func (r *Rate) or(rate *float64) float64 {
	if rate == nil {
		return r.Input
	}
	return *rate
}

// PriceOf is the price that a provider file configures, per thousand tokens there.
func PriceOf(p *scenario.Pricing) *Price {
	price := &Price{Rate: Rate{Input: p.InputPer1K * 1000, Output: p.OutputPer1K * 1000}}
	price.Cached, price.CacheWrite = perMillion(p.CachedPer1K), perMillion(p.CacheWritePer1K)
	return price
}

func perMillion(per1K *float64) *float64 {
	if per1K == nil {
		return nil
	}
	return new(*per1K * 1000)
}

//go:embed prices.json
var pricesJSON []byte

type priceTable struct {
	AsOf   string            `json:"as_of"`
	Source string            `json:"source"`
	Unit   string            `json:"unit"`
	Models map[string]*Price `json:"models"`
}

// prices is read at first use: most runs need no price, and the command line starts in milliseconds.
var prices = sync.OnceValue(func() *priceTable {
	table, err := readPrices(pricesJSON)
	if err != nil {
		panic(err) // the file is part of the binary, and a test reads it
	}
	return table
})

func readPrices(data []byte) (*priceTable, error) {
	var table priceTable
	if err := json.Unmarshal(data, &table); err != nil {
		return nil, fmt.Errorf("prices.json: %w", err)
	}
	return &table, nil
}

// ListPrice finds the list price of a model: by its whole name, else by the longest part of it that leaves out only
// versions (gpt-4o-mini-2024-07-18 is gpt-4o-mini). nil: not known.
func ListPrice(model string) *Price {
	for name := range scenario.ModelNames(model) {
		if p := prices().Models[name]; p != nil {
			return p
		}
	}
	return nil
}

// Listed reports whether a model costs what the embedded table of list prices says.
func Listed(spec *scenario.Provider) bool {
	p := pricingOf(spec)
	return p.byModel && p.price != nil
}

// ListPricesOf is the month of the list prices, such as 2026-11.
func ListPricesOf() string { return prices().AsOf }

// TracedPrice is what a model costs that the program of a provider says it asked: by the config of the project, else by
// the list prices. nil: not known.
func TracedPrice(spec *scenario.Provider, model string) *Price {
	if own := spec.Prices.Of(model); own != nil {
		return PriceOf(own)
	}
	return ListPrice(model)
}
