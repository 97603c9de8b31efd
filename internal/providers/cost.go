package providers

import (
	"context"
	"errors"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// Cost fills in Reply.CostUSD where the provider below left it open: from the pricing that is configured, in the file
// of the provider or by model in the config; for a local server, zero; for a vendor whose list prices are known, from
// the embedded table, by the configured model or else by the model that the reply names. A price that is not known
// stays nil: it is never taken for zero. A reply whose tokens are unreported has no price either.
func Cost(p Provider, spec *scenario.Provider) Provider {
	c := &priced{next: p, pricing: pricingOf(spec)}
	if c.price == nil && !c.byModel && len(c.own) == 0 {
		return p
	}
	return c
}

// pricing is how the calls of a provider are priced.
type pricing struct {
	price   *Price
	own     scenario.ModelPrices // when price is nil, look the model that did the work up here
	byModel bool                 // and then among the list prices
}

func pricingOf(spec *scenario.Provider) pricing {
	switch t := scenario.ProviderTypeOf(spec.Type); {
	case spec.Pricing != nil:
		return pricing{price: PriceOf(spec.Pricing)}
	case spec.Prices.Of(spec.Model) != nil:
		return pricing{price: PriceOf(spec.Prices.Of(spec.Model))}
	case t.Free:
		return pricing{price: &Price{}}
	case t.ListPrices:
		return pricing{ListPrice(spec.Model), spec.Prices, true}
	}
	return pricing{own: spec.Prices}
}

// PriceFor is what a model costs, as far as its file and the table of prices tell; nil: not known.
func PriceFor(spec *scenario.Provider) *Price { return pricingOf(spec).price }

// MockPrice is what mocked tokens cost when the provider configures no pricing.
var MockPrice = PriceOf(&scenario.Pricing{InputPer1K: scenario.MockPer1K, OutputPer1K: scenario.MockPer1K})

// usd is what a call cost that a model did; nil: not known.
func (p pricing) usd(model string, u chat.Usage) *float64 {
	price := p.price
	if price == nil && p.own.Of(model) != nil {
		price = PriceOf(p.own.Of(model))
	}
	if price == nil && p.byModel {
		price = ListPrice(model)
	}
	if price == nil {
		return nil
	}
	usd := price.USD(u)
	return &usd
}

type priced struct {
	next Provider
	pricing
}

func (c *priced) Complete(ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error) {
	reply, err := c.next.Complete(ctx, req, onDelta)
	if err == nil && reply.CostUSD == nil && !slices.Contains(reply.Unreported, chat.UnreportedTokens) {
		reply.CostUSD = c.usd(reply.Model, reply.Usage)
	}
	c.priceFailed(err)
	return reply, err
}

// priceFailed sets what a call cost that came to nothing, as far as it is known what it took.
func (p pricing) priceFailed(err error) {
	usage, _ := Spent(err)
	if usage.Total() == 0 {
		return
	}
	if ended, ok := errors.AsType[*Ended](err); ok {
		ended.CostUSD = p.usd("", usage)
	} else if failed, ok := errors.AsType[*Error](err); ok {
		failed.CostUSD = p.usd("", usage)
	}
}

func (c *priced) Unwrap() Provider { return c.next }
