package checks

import "context"

// Embedder turns texts into vectors, so that texts of like meaning have vectors that point the same way. It is safe
// for concurrent use.
type Embedder interface {
	// Embed returns one vector for each text, in their order and all of one length.
	Embed(ctx context.Context, texts []string) ([][]float64, error)
}
