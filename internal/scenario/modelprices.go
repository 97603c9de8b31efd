package scenario

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// ModelPrices are the prices that a config gives, by the name of the model in lower case.
type ModelPrices map[string]*Pricing

// pricedModel is the position of a price.
type pricedModel struct {
	model string // as written
	pos   diag.Pos
}

// Of finds the price of a model: by its whole name, else by the longest part of it without a prefix up to a slash and
// without versions (gpt-4o-mini-2024-07-18 is gpt-4o-mini). nil: none.
func (m ModelPrices) Of(model string) *Pricing {
	p, _ := m.find(model)
	return p
}

func (m ModelPrices) find(model string) (*Pricing, bool) {
	for name := range ModelNames(model) {
		if p, found := m[name]; found {
			return p, true
		}
	}
	return nil, false
}

// PricedName is the name of a model as prices are looked up by it.
func PricedName(model string) string { return strings.ToLower(strings.TrimSpace(model)) }

// modelVersion is the end of a model's name that does not change its price. An unknown word (-audio, -pro) may change
// the price, so no price is found for such a name.
var modelVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3}|latest|preview)$`)
})

// ModelNames yields the names for the price of a model, the most exact one first: openai/gpt-4o-2024-05-13,
// gpt-4o-2024-05-13, gpt-4o.
func ModelNames(model string) iter.Seq[string] {
	return func(yield func(string) bool) {
		name := PricedName(model)
		last := name[strings.LastIndexByte(name, '/')+1:]
		if name != last && !yield(name) {
			return
		}
		for name = last; name != "" && yield(name); {
			at := modelVersion().FindStringIndex(name)
			if at == nil {
				return
			}
			name = name[:at[0]]
		}
	}
}

// modelPriceFile is a price as written, in US dollars for a million tokens.
type modelPriceFile struct {
	input, output      float64
	cached, cacheWrite *float64
}

var modelPriceFields = part("the price of a model",
	num("input", price, func(p *modelPriceFile) *float64 { return &p.input }).must().
		doc("A million tokens of requests."),
	num("output", price, func(p *modelPriceFile) *float64 { return &p.output }).must().
		doc("A million tokens of replies."),
	numPtr("cached", price, func(p *modelPriceFile) **float64 { return &p.cached }).
		doc("A million tokens of requests that were read from a cache. Left out: as input."),
	numPtr("cache_write", price, func(p *modelPriceFile) **float64 { return &p.cacheWrite }).
		doc("A million tokens of requests that were written into a cache. Left out: as input."),
)

// modelPrices reads the prices of a config.
func (d *decoder) modelPrices(v *node.Node) ModelPrices {
	all, places := ModelPrices{}, map[string]diag.Pos{}
	d.Each(v, "pricing", func(model string, k, value *node.Node) {
		var p modelPriceFile
		name := PricedName(model)
		if !modelPriceFields.read(d, value, &p) {
			return
		}
		if first, twice := places[name]; twice {
			d.Errorf(k, "duplicate-name", "pricing: %q is the model of line %d already", model, first.Line).
				Hint = "names of models are the same in upper and lower case"
			return
		}
		places[name] = d.Pos(k)
		all[name] = &Pricing{
			InputPer1K: p.input / 1000, OutputPer1K: p.output / 1000,
			CachedPer1K: perThousand(p.cached), CacheWritePer1K: perThousand(p.cacheWrite),
		}
	})
	return all
}

func perThousand(perMillion *float64) *float64 {
	if perMillion == nil {
		return nil
	}
	return new(*perMillion / 1000)
}

// Priced sets the prices of a provider from the project's config: only its own model's price if there is one, else all,
// because a program may call any model.
func (p *Project) Priced(spec *Provider) {
	if spec == nil || len(p.Prices) == 0 {
		return
	}
	spec.Prices = p.Prices
	if own := p.Prices.Of(spec.Model); own != nil && spec.Program == nil {
		spec.Prices = ModelPrices{PricedName(spec.Model): own}
	}
}

// price gives all providers of the project the prices of its config.
func (b *build) price() {
	b.p.Prices = b.arena.prices
	for _, q := range b.p.Providers {
		b.p.Priced(q)
	}
	for _, s := range b.p.Scenarios {
		b.p.Priced(s.Agent)
	}
	b.misspeltPrices()
}

// misspeltPrices warns of prices for models that nothing uses and whose names are similar to a used model.
func (b *build) misspeltPrices() {
	var asked []string
	for _, q := range b.p.Providers {
		if q.Program == nil && q.Model != "" {
			asked = append(asked, PricedName(q.Model))
		}
	}
	for _, at := range b.arena.pricesAt {
		name := PricedName(at.model)
		if slices.ContainsFunc(asked, func(model string) bool {
			_, found := ModelPrices{name: nil}.find(model)
			return found
		}) {
			continue
		}
		if near := diag.Nearest(name, asked); near != "" && b.p.Prices.Of(near) == nil {
			b.l.diags.Warnf(at.pos, len(at.model), "unused-price", "pricing: no provider has the model %q", at.model).
				Hint = "did you mean \"" + near + "\"?"
		}
	}
}
