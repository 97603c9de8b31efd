package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// WrapEmbedder answers from the store if the same texts were embedded before by the same model at the same address. An
// embedding model is deterministic, so trials share entries.
func (s *Store) WrapEmbedder(e providers.Embedder, spec *scenario.Provider) providers.Embedder {
	return &cachedEmbedder{next: e, store: s, id: spec.ID, source: sourceOf(nil, spec)}
}

type cachedEmbedder struct {
	next   providers.Embedder
	store  *Store
	id     string
	source any
}

func (c *cachedEmbedder) Embed(ctx context.Context, texts []string) (chat.Embeddings, error) {
	if ctx.Err() != nil {
		return chat.Embeddings{}, context.Cause(ctx)
	}
	data, err := json.Marshal([]any{version, "embeddings", c.source, texts})
	if err != nil {
		return c.next.Embed(ctx, texts)
	}
	sum := sha256.Sum256(data)
	key := hex.EncodeToString(sum[:])
	if e := c.store.load(key); e != nil && len(e.Vectors) == len(texts) {
		got := chat.Embeddings{Vectors: e.Vectors, Model: e.Reply.Model, CostUSD: e.Reply.CostUSD, Cached: true}
		if n := e.Reply.Usage.InputTokens; n > 0 {
			got.Tokens = &n
		}
		return got, nil
	}
	got, err := c.next.Embed(ctx, texts)
	if err != nil {
		return got, err
	}
	reply := storedReply{Model: got.Model, CostUSD: got.CostUSD}
	if got.Tokens != nil {
		reply.Usage.InputTokens = *got.Tokens
	}
	c.store.save(&entry{Version: version, Key: key, Provider: c.id, Reply: reply, Vectors: got.Vectors})
	return got, nil
}
