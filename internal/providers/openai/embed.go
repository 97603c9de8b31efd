package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Embedder is an embedding model behind the API.
type Embedder struct{ p *Provider }

// NewEmbedder makes an embedder out of a provider of the types that Types lists. It fails like New, and does not touch
// the network either.
func NewEmbedder(spec *scenario.Provider, o Options) (*Embedder, error) {
	p, err := newProvider(spec, embeddingsPath, o)
	if err != nil {
		return nil, err
	}
	return &Embedder{p}, nil
}

// Close drops the idle connections.
func (e *Embedder) Close() error { return e.p.Close() }

// embedRequest asks for numbers: base64, which the API has too, is not understood by every server.
type embedRequest struct {
	Model  string   `json:"model"`
	Input  []string `json:"input"`
	Format string   `json:"encoding_format"`
}

// Embed makes one call. See providers.Embedder.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float64, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	body, err := json.Marshal(embedRequest{e.p.model, texts, "float"})
	if err != nil {
		return nil, e.p.fail(providers.Refused, err, "the request cannot be sent: %v", err)
	}
	w := newWatch(ctx, e.p.request, noReply{e.p.request})
	defer w.stop()
	c := &call{Provider: e.p, req: &chat.Request{}, watch: w}
	vectors, err := c.embed(body, len(texts))
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	return vectors, nil
}

func (c *call) embed(body []byte, n int) ([][]float64, error) {
	resp, err := c.send(body) //nolint:bodyclose // release closes it
	if err != nil {
		return nil, err
	}
	defer c.release(resp.Body)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, c.refusal(resp)
	}
	data, err := io.ReadAll(http.MaxBytesReader(nil, resp.Body, maxReplyBytes))
	if err != nil {
		return nil, err
	}
	var a struct {
		Data []struct {
			Index  int       `json:"index"`
			Vector []float64 `json:"embedding"`
		} `json:"data"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, c.unreadable(data, err)
	}
	if isError(a.Error) {
		return nil, c.reported(a.Error)
	}
	vectors := make([][]float64, n)
	for i := range a.Data {
		// Servers may answer in any order.
		if at := a.Data[i].Index; at >= 0 && at < n && vectors[at] == nil {
			vectors[at] = a.Data[i].Vector
			continue
		}
		return nil, c.fail(providers.BadReply, nil,
			"the reply has an embedding of a text %d that was not sent, or has it twice",
			a.Data[i].Index)
	}
	return vectors, c.complete(vectors)
}

// complete refuses vectors that are missing or cannot be compared.
func (c *call) complete(vectors [][]float64) error {
	for i, v := range vectors {
		switch {
		case len(v) == 0:
			return c.fail(providers.BadReply, nil, "the reply has no embedding of text %d of %d", i+1, len(vectors))
		case len(v) != len(vectors[0]):
			return c.fail(providers.BadReply, nil, "the embeddings in the reply have %d and %d numbers", len(vectors[0]), len(v))
		}
	}
	return nil
}
