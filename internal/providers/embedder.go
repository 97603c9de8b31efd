package providers

import (
	"context"

	"golang.org/x/time/rate"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// Embedder turns texts into vectors. It is safe for concurrent use.
type Embedder interface {
	// Embed returns a vector for each text. A failed call returns *Error, except when ctx is done: then ctx's cause.
	Embed(ctx context.Context, texts []string) (chat.Embeddings, error)
}

// Embedding wraps an embedder like the model of a provider: calls that fail for a while are repeated as by Retry, no
// more are made than Pace and Limit would let through, and their cost is filled in as by Cost.
func Embedding(e Embedder, spec *scenario.Provider, policy scenario.RetryPolicy, random func() float64) Embedder {
	w := &embedding{next: e, policy: policy, random: random, rps: spec.RPS, pricing: pricingOf(spec)}
	if spec.RPS > 0 {
		w.limiter = rate.NewLimiter(rate.Limit(spec.RPS), max(spec.Burst, 1))
	}
	if spec.MaxConcurrent > 0 {
		w.slots = make(chan struct{}, spec.MaxConcurrent)
	}
	return w
}

type embedding struct {
	next    Embedder
	policy  scenario.RetryPolicy
	random  func() float64
	rps     float64
	limiter *rate.Limiter // nil: no limit
	slots   chan struct{} // nil: no limit
	pricing pricing
}

func (e *embedding) Embed(ctx context.Context, texts []string) (chat.Embeddings, error) {
	call := &embeddingCall{next: e.next, texts: texts}
	var p Provider = call
	if e.limiter != nil {
		p = &paced{next: p, rps: e.rps, limiter: e.limiter}
	}
	if e.slots != nil {
		p = &limited{next: p, slots: e.slots}
	}
	if _, err := Retry(p, e.policy, e.random).Complete(ctx, &chat.Request{}, nil); err != nil {
		return chat.Embeddings{}, err
	}
	if got := &call.got; got.CostUSD == nil && got.Tokens != nil {
		got.CostUSD = e.pricing.usd(got.Model, chat.Usage{InputTokens: *got.Tokens})
	}
	return call.got, nil
}

// embeddingCall is one call of an embedder in the shape in which the wrappers know calls. The reply stays empty.
type embeddingCall struct {
	next  Embedder
	texts []string
	got   chat.Embeddings
}

func (c *embeddingCall) Complete(ctx context.Context, _ *chat.Request, _ func(chat.Delta) error) (chat.Reply, error) {
	var err error
	c.got, err = c.next.Embed(ctx, c.texts)
	return chat.Reply{}, err
}
