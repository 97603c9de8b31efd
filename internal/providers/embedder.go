package providers

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// Embedder turns texts into vectors. It is safe for concurrent use.
type Embedder interface {
	// Embed returns a vector for each text. A failed call returns *Error, except when ctx is done: then ctx's cause.
	Embed(ctx context.Context, texts []string) (chat.Embeddings, error)
}

// Embedding wraps an embedder like the model of a provider: with all that Resilient adds, and its cost is filled in as
// by Cost.
func Embedding(e Embedder, spec *scenario.Provider, how *Resilience) Embedder {
	return &embedding{resilient: Resilient(embedCalls{e}, spec, how), pricing: pricingOf(spec)}
}

type embedding struct {
	resilient Provider // of embedCalls
	pricing   pricing
}

func (e *embedding) Embed(ctx context.Context, texts []string) (chat.Embeddings, error) {
	call := &embedCall{texts: texts}
	reply, err := e.resilient.Complete(context.WithValue(ctx, embedKey{}, call), &chat.Request{}, nil)
	if err != nil {
		e.pricing.priceFailed(err)
		return chat.Embeddings{}, err
	}
	got := &call.got
	if wasted := reply.Usage; wasted != (chat.Usage{}) && got.Tokens != nil {
		sum := wasted.Add(chat.Usage{InputTokens: *got.Tokens}).InputTokens
		if got.Tokens = &sum; wasted.Total() == 0 { // nobody knows what an attempt took
			got.Tokens = nil
		}
	}
	if got.CostUSD == nil && got.Tokens != nil {
		got.CostUSD = e.pricing.usd(got.Model, chat.Usage{InputTokens: *got.Tokens})
	}
	return *got, nil
}

// embedCalls makes a Provider of an embedder, so that the same wrappers serve both. The texts and their vectors are in
// an embedCall in the context; request and reply stay empty.
type embedCalls struct{ next Embedder }

type embedCall struct {
	texts []string
	got   chat.Embeddings
}

type embedKey struct{}

func (c embedCalls) Complete(ctx context.Context, _ *chat.Request, _ func(chat.Delta) error) (chat.Reply, error) {
	call, _ := ctx.Value(embedKey{}).(*embedCall)
	var err error
	call.got, err = c.next.Embed(ctx, call.texts)
	return chat.Reply{}, err
}
