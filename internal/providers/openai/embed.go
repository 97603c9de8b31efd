package openai

import (
	"bytes"
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
func (e *Embedder) Embed(ctx context.Context, texts []string) (chat.Embeddings, error) {
	if ctx.Err() != nil {
		return chat.Embeddings{}, context.Cause(ctx)
	}
	body, err := jsonOf(embedRequest{e.p.model, texts, "float"})
	body = bytes.TrimSuffix(body, []byte("\n"))
	if err == nil && len(e.p.body) > 0 {
		body, err = e.p.shape.merge(body, e.p.body)
	}
	if err != nil {
		return chat.Embeddings{}, e.p.fail(providers.Refused, err, "the request cannot be sent: %v", err)
	}
	w := newWatch(ctx, e.p.request, noReply{e.p.request})
	defer w.stop()
	c := &call{Provider: e.p, req: &chat.Request{}, watch: w}
	got, err := c.embed(body, len(texts))
	if err != nil {
		return chat.Embeddings{}, c.failure(ctx, err)
	}
	return got, nil
}

// embedReply is the body of a reply. Servers that count no tokens leave usage out.
type embedReply struct {
	Data []struct {
		Index  int       `json:"index"`
		Vector []float64 `json:"embedding"`
	} `json:"data"`
	Model string `json:"model"`
	Usage *struct {
		PromptTokens int `json:"prompt_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

func (c *call) embed(body []byte, n int) (chat.Embeddings, error) {
	resp, err := c.send(body) //nolint:bodyclose // release closes it
	if err != nil {
		return chat.Embeddings{}, err
	}
	defer c.release(resp.Body)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return chat.Embeddings{}, c.refusal(resp)
	}
	data, err := io.ReadAll(http.MaxBytesReader(nil, resp.Body, maxReplyBytes))
	if err != nil {
		return chat.Embeddings{}, err
	}
	var a embedReply
	if err := json.Unmarshal(data, &a); err != nil {
		return chat.Embeddings{}, c.unreadable(data, err)
	}
	if isError(a.Error) {
		return chat.Embeddings{}, c.reported(a.Error)
	}
	got := chat.Embeddings{Model: a.Model}
	if a.Usage != nil && a.Usage.PromptTokens > 0 && chat.Tokens(float64(a.Usage.PromptTokens)) {
		got.Tokens = &a.Usage.PromptTokens
	}
	got.Vectors, err = c.vectors(&a, n)
	return got, err
}

// vectors puts the embeddings into the order of the texts.
func (c *call) vectors(a *embedReply, n int) ([][]float64, error) {
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
