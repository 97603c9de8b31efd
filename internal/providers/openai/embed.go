package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// Embedder is an embedding model behind the API.
type Embedder struct {
	client *wire.Client
	model  string
	style  requestStyle
	extra  jsonvalue.Object // extra_body
	format string           // "": servers that give nothing but numbers do not take the word
}

// NewEmbedder makes an embedder out of a provider of the types that Types lists. It fails like New, and does not touch
// the network either.
func NewEmbedder(spec *scenario.Provider, o wire.Options) (*Embedder, error) {
	client, err := newClient(spec, embeddingsPath, o)
	if err != nil {
		return nil, err
	}
	e := &Embedder{client: client, model: spec.Model, style: newRequestStyle(spec), extra: spec.Body, format: "float"}
	if slices.Contains(spec.Unsupported, "encoding_format") {
		e.format = ""
	}
	return e, nil
}

// Close drops the idle connections.
func (e *Embedder) Close() error { return e.client.Close() }

// embedRequest asks for numbers: base64, which the API has too, is not understood by every server.
type embedRequest struct {
	Model  string   `json:"model"`
	Input  []string `json:"input"`
	Format string   `json:"encoding_format,omitempty"`
}

// Embed makes one call. See providers.Embedder.
func (e *Embedder) Embed(ctx context.Context, texts []string) (got chat.Embeddings, err error) {
	if ctx.Err() != nil {
		return chat.Embeddings{}, context.Cause(ctx)
	}
	body, err := wire.JSON(embedRequest{e.model, texts, e.format})
	body = bytes.TrimSuffix(body, []byte("\n"))
	if err == nil && len(e.extra) > 0 {
		body, err = wire.Merge(body, e.extra, e.style.keeps)
	}
	if err != nil {
		return chat.Embeddings{}, e.client.Unsent(err)
	}
	err = e.client.Fetch(ctx, texts, body, func(c *wire.Call, data []byte) (err error) {
		got, err = exchange{c}.embeddings(data, len(texts))
		return err
	})
	if err != nil {
		return chat.Embeddings{}, err
	}
	return got, nil
}

// embedReply is the body of a reply. Servers that count no tokens leave usage out.
type embedReply struct {
	Data []struct {
		Index  int    `json:"index"`
		Vector vector `json:"embedding"`
	} `json:"data"`
	Model string `json:"model"`
	Usage *struct {
		PromptTokens int `json:"prompt_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// vector is an embedding of which every item is a number. The JSON package would take null for 0.
type vector []float64

// UnmarshalJSON implements json.Unmarshaler.
func (v *vector) UnmarshalJSON(data []byte) error {
	var items []*float64
	if err := json.Unmarshal(data, &items); err != nil {
		return err
	}
	*v = make(vector, len(items))
	for i, x := range items {
		if x == nil {
			return &json.UnmarshalTypeError{Value: "null", Type: reflect.TypeFor[float64]()}
		}
		(*v)[i] = *x
	}
	return nil
}

// embeddings reads the vectors of n texts.
func (c exchange) embeddings(data []byte, n int) (chat.Embeddings, error) {
	var a embedReply
	if err := c.Document(data, &a); err != nil {
		return chat.Embeddings{}, err
	}
	if isError(a.Error) {
		return chat.Embeddings{}, c.Reported(a.Error)
	}
	c.Came(0) // whatever is wrong with the vectors
	if a.Usage != nil {
		c.Count(chat.Usage{InputTokens: a.Usage.PromptTokens})
	}
	got := chat.Embeddings{Model: a.Model}
	if a.Usage != nil && a.Usage.PromptTokens > 0 && chat.Tokens(float64(a.Usage.PromptTokens)) {
		got.Tokens = &a.Usage.PromptTokens
	}
	var err error
	got.Vectors, err = c.vectors(&a, n)
	return got, err
}

// vectors puts the embeddings into the order of the texts.
func (c exchange) vectors(a *embedReply, n int) ([][]float64, error) {
	vectors := make([][]float64, n)
	for i := range a.Data {
		// Servers may answer in any order.
		if at := a.Data[i].Index; at >= 0 && at < n && vectors[at] == nil {
			vectors[at] = a.Data[i].Vector
			continue
		}
		return nil, c.Fail(providers.BadReply, nil,
			"the reply has an embedding of a text %d that was not sent, or has it twice",
			a.Data[i].Index)
	}
	return vectors, c.complete(vectors)
}

// complete refuses vectors that are missing or cannot be compared.
func (c exchange) complete(vectors [][]float64) error {
	for i, v := range vectors {
		switch {
		case len(v) == 0:
			return c.Fail(providers.BadReply, nil, "the reply has no embedding of text %d of %d", i+1, len(vectors))
		case len(v) != len(vectors[0]):
			return c.Fail(providers.BadReply, nil, "the embeddings in the reply have %d and %d numbers", len(vectors[0]), len(v))
		}
	}
	return nil
}
