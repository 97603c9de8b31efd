package checks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"

	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

var cosineSimilarityDef = define[cosineSimilarityParams](Def{
	Name:    "cosine_similarity",
	Summary: "The reply means about the same as a reference, by the cosine between their embeddings.",
	Scoring: "max(0, a·b / (|a|·|b|)) of the two embeddings; 0 when one of them is all zeros. Passes " +
		"from min_similarity " +
		"on; without it and without min_score only 1 passes. An error when a model of embeddings gives zeros, one " +
		"number, or two different texts the same.",
	Family:   FamilyContent,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsEmbedding,
	Reads:    ReadsReply,
	Decides:  true,
})

type cosineSimilarityParams struct {
	Reference referenceValue `param:"reference,required" doc:"A text; or numbers to hold against metadata embedding."`

	MinSimilarity *float64 `param:"min_similarity" min:"0" max:"1" doc:"The lowest similarity that passes."`
}

func (p cosineSimilarityParams) Build(b *binder) Check {
	if least := p.MinSimilarity; least != nil && *least <= slack {
		b.noteVacuous("min_similarity", limitHolds, "every reply is as similar as that")
	}
	return &cosineSimilarity{p.Reference.text, p.Reference.vector, p.MinSimilarity}
}

// cosineSimilarity compares with a text or, where that is empty, with a vector.
type cosineSimilarity struct {
	text   string
	vector []float64
	least  *float64
}

// Needs may be less than the Def says: comparing with a vector needs no model.
func (c *cosineSimilarity) Needs() Needs {
	if c.text == "" {
		return NeedsReply | NeedsCompute
	}
	return NeedsReply | NeedsEmbedding
}

func (c *cosineSimilarity) limitedItself() bool { return c.least != nil }

func (c *cosineSimilarity) Eval(ctx context.Context, s *Subject) (Finding, error) {
	details := Details{}
	reference, reply, err := c.vectors(ctx, s, details)
	if err != nil {
		maps.Copy(details, embeddingSpent(err))
		return Finding{Details: details}, err
	}
	if len(reference) != len(reply) {
		return Finding{}, fmt.Errorf("the embedding of the reply has %s and that of the reference %d: they are of "+
			"different models", plural.Count(len(reply), "number"), len(reference))
	}
	score := textmeasure.Cosine(reference, reply)
	details["similarity"] = score
	f := Finding{Score: score, Explanation: "similarity " + say.Decimal(fourDigits(score)), Details: details}
	if c.least != nil {
		holds := score >= *c.least-slack
		f.Holds = &holds
		f.Explanation += ", at least " + say.Decimal(*c.least) + " needed"
		f.Details["threshold"] = *c.least
	}
	return f, nil
}

// vectors returns the two sides. The cost of the embeddings goes into the details, if known.
func (c *cosineSimilarity) vectors(
	ctx context.Context, s *Subject, details Details,
) (reference, reply []float64, err error) {
	if c.text == "" {
		reply, err = numbersIn(s.Metadata["embedding"])
		return c.vector, reply, err
	}
	if s.Embedder == nil {
		return nil, nil, errNoEmbedder
	}
	if s.Output() == "" {
		return nil, nil, errors.New("the reply is empty, and nothing has no embedding")
	}
	both, err := s.Embedder.Embed(ctx, []string{c.text, s.Output()})
	if err != nil {
		return nil, nil, fmt.Errorf("embedding: %w", err)
	}
	if n := len(both.Vectors); n != 2 {
		return nil, nil, fmt.Errorf("embedding: %s for 2 texts", plural.Count(n, "vector"))
	}
	if both.Tokens != nil {
		details["embedding_tokens"] = *both.Tokens
	}
	if both.Cached {
		details["embedding_cached"] = true
	}
	if both.CostUSD != nil {
		details["embedding_cost_usd"] = *both.CostUSD
	}
	if err := textmeasure.Comparable([]string{c.text, s.Output()}, both.Vectors); err != nil {
		return nil, nil, fmt.Errorf("embedding: %w", err)
	}
	return both.Vectors[0], both.Vectors[1], nil
}

// embeddingSpent is the known usage of a failed call.
func embeddingSpent(err error) Details {
	took, usd := providers.Spent(err)
	if took.Total() == 0 {
		return nil
	}
	details := Details{"embedding_tokens": took.InputTokens}
	if took.Estimated {
		details["embedding_tokens_estimated"] = true
	}
	if usd != nil {
		details["embedding_cost_usd"] = *usd
	}
	return details
}

var errNoEmbedder = errors.New("no embedding provider is configured; list one under embedding_providers, or write " +
	"the reference as a list of numbers")

// numbersIn returns a value of the metadata as a vector.
func numbersIn(v any) ([]float64, error) {
	switch list := v.(type) {
	case nil:
		return nil, errors.New(`the metadata has no "embedding" of the reply`)
	case []float64:
		return list, nil
	case []any:
		out := make([]float64, len(list))
		for i, item := range list {
			f, ok := jsonvalue.Float(item)
			if !ok {
				return nil, fmt.Errorf(`item %d of the metadata "embedding" is not a number: %s`, i+1, say.Shown(item))
			}
			out[i] = f
		}
		return out, nil
	}
	return nil, fmt.Errorf(`the metadata "embedding" is not a list of numbers: %s`, say.Shown(v))
}

// sixDigits rounds a figure for reports.
func sixDigits(f float64) float64 { return math.Round(f*1e6) / 1e6 }

// fourDigits rounds a measure for explanations.
func fourDigits(f float64) float64 { return math.Round(f*1e4) / 1e4 }

// referenceValue is a parameter that holds a text or a vector.
type referenceValue struct {
	text   string
	vector []float64
}

func (*referenceValue) shape() keys.Shape {
	numbers := keys.List{Item: keys.Number{Low: math.Inf(-1), High: math.Inf(1)}, Filled: true}
	return keys.Own{Words: "text or list of numbers",
		Doc: *jsonschema.AnyOf(filled.Schema(nil), numbers.Schema(nil))}
}

func (p *referenceValue) take(b *binder, n *node.Node, what string) bool {
	if n.Kind != node.List {
		text, ok := b.r.Name(n, what)
		p.text = text
		return ok
	}
	if len(n.Content) == 0 {
		b.r.Errorf(n, "empty-value", "%s is empty", what)
		return false
	}
	ok := true
	for i, item := range n.Content {
		f, good := b.r.Float(item, fmt.Sprintf("%s[%d]", what, i), math.Inf(-1), math.Inf(1))
		p.vector, ok = append(p.vector, f), ok && good
	}
	return ok
}
