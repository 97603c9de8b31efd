package providers

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// Cost fills in Reply.CostUSD where the provider below left it open: from the pricing that is configured; for a local
// server, zero; for a vendor whose list prices are known, from the embedded table, by the configured model or else by
// the model that the reply names. A price that is not known stays nil: it is never taken for zero.
func Cost(p Provider, spec *scenario.Provider) Provider {
	c := &priced{next: p}
	switch {
	case spec.Pricing != nil:
		c.price = PriceOf(spec.Pricing)
	case spec.Type == "ollama":
		c.price = &Price{}
	case listed(spec.Type):
		c.price, c.byReply = ListPrice(spec.Model), true
	}
	if c.price == nil && !c.byReply {
		return p
	}
	return c
}

// listed reports whether a provider type is a vendor's own API, for which its list prices hold. A server that merely
// speaks the protocol may charge anything for a model of the same name.
func listed(kind string) bool {
	switch kind {
	case "openai", "azure", "anthropic", "gemini":
		return true
	}
	return false
}

type priced struct {
	next    Provider
	price   *Price
	byReply bool // look the reply's model up when price is nil
}

func (c *priced) Complete(ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error) {
	reply, err := c.next.Complete(ctx, req, onDelta)
	if err != nil || reply.CostUSD != nil {
		return reply, err
	}
	price := c.price
	if price == nil && c.byReply {
		price = ListPrice(reply.Model)
	}
	if price != nil {
		usd := price.USD(reply.Usage)
		reply.CostUSD = &usd
	}
	return reply, nil
}

func (c *priced) Unwrap() Provider { return c.next }
