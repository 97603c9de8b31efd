package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
)

// Embedder turns texts into vectors. It is safe for concurrent use.
type Embedder interface {
	Embed(ctx context.Context, texts []string) (chat.Embeddings, error)
}
