package runner

import (
	"context"
	"errors"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// EmbedderOpener opens the embedding model of a provider.
type EmbedderOpener func(p *scenario.Project, spec *scenario.Provider) (checks.Embedder, error)

// embedder opens the embedding model of a project if a check of the chosen scenarios needs it. It is nil when no check
// does, and when no model is configured.
func (m *matrix) embedder(p *scenario.Project, chosen []*scenario.Scenario) checks.Embedder {
	spec := embeddingProvider(p)
	if spec == nil || m.opts.OpenEmbedder == nil || !asksFor(p, chosen, checks.NeedsEmbedding) {
		return nil
	}
	if m.opts.MockProvider {
		return noEmbedder{}
	}
	m.embedding = append(m.embedding, spec)
	e, err := m.opts.OpenEmbedder(p, spec)
	if err != nil {
		m.reportOpen(spec, err)
		return nil
	}
	return e
}

// embeddingProvider is the provider that the defaults name, else the first with the role embedding.
func embeddingProvider(p *scenario.Project) *scenario.Provider {
	at := slices.IndexFunc(p.Providers, func(q *scenario.Provider) bool {
		if name := p.Defaults.Embedder; name != "" {
			return q.Is(name)
		}
		return q.Role == "embedding"
	})
	if at < 0 {
		return nil
	}
	return p.Providers[at]
}

// asksFor reports whether a check of the chosen scenarios has one of the needs.
func asksFor(p *scenario.Project, chosen []*scenario.Scenario, needs checks.Needs) (asked bool) {
	inventory.EachCheck(p, chosen, func(c *checks.Compiled) { asked = asked || c.Needs()&needs != 0 })
	return asked
}

// noEmbedder returns an error where every provider is replaced by the mock: checks could pass on invented vectors.
type noEmbedder struct{}

var errMocked = errors.New("every provider is replaced by the mock, which has no embeddings")

func (noEmbedder) Embed(context.Context, []string) (chat.Embeddings, error) {
	return chat.Embeddings{}, errMocked
}
