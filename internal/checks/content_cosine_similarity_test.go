package checks

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// fakeEmbedder knows the vectors of some texts.
type fakeEmbedder struct {
	vectors map[string][]float64
	spent   chat.Embeddings
	calls   int
	err     error
}

func (f *fakeEmbedder) Embed(_ context.Context, texts []string) (chat.Embeddings, error) {
	f.calls++
	out := f.spent
	for _, text := range texts {
		if v, ok := f.vectors[text]; ok {
			out.Vectors = append(out.Vectors, v)
		}
	}
	return out, f.err
}

func TestCosineSimilarityOfTexts(t *testing.T) {
	t.Parallel()
	vectors := map[string][]float64{
		"tomorrow": {3, 4}, "in the morning": {4, 3}, "never": {-3, -4}, "longer": {1, 2, 3},
		"Tomorrow!": {3, 4}, "yesterday": {3, 4}, "nothing": {0, 0},
	}
	for _, tc := range []struct {
		reply string
		err   error
		want  result.Status
		score float64
		says  string
	}{
		{"tomorrow", nil, result.Passed, 1, "similarity 1, at least 0.9 needed"},
		{"in the morning", nil, result.Passed, 0.96, "similarity 0.96"},
		{"never", nil, result.Failed, 0, "similarity 0"},
		{"unknown", nil, result.Errored, 0, "embedding: 1 vector for 2 texts"},
		{"longer", nil, result.Errored, 0, "different models"},
		{"Tomorrow!", nil, result.Passed, 1, "similarity 1"},
		{"yesterday", nil, result.Errored, 0, "different texts the same vector"},
		{"nothing", nil, result.Errored, 0, "a vector is all zeros"},
		{"", nil, result.Errored, 0, "the reply is empty"},
		{"tomorrow", errors.New("http 503"), result.Errored, 0, "embedding: http 503"},
	} {
		s := replied(tc.reply)
		e := &fakeEmbedder{vectors: vectors, err: tc.err}
		s.Embedder = e
		v := judgeJSON(t, s, "cosine_similarity", `{"reference": "tomorrow", "min_similarity": 0.9}`)
		if v.Status != tc.want || !strings.Contains(v.Explanation+v.Error, tc.says) || e.calls > 1 {
			t.Errorf("%q: %s %s%s after %d calls, want %s %s", tc.reply, v.Status, v.Explanation, v.Error, e.calls, tc.want,
				tc.says)
		}
		if v.Score != nil && math.Abs(*v.Score-tc.score) > 1e-9 {
			t.Errorf("%q: score %v, want %v", tc.reply, *v.Score, tc.score)
		}
	}
}

func TestCosineSimilarityTellsWhatItTook(t *testing.T) {
	t.Parallel()
	vectors := map[string][]float64{"yes": {1, 0}}
	for _, tc := range []struct {
		spent chat.Embeddings
		want  map[string]any
	}{
		{chat.Embeddings{}, map[string]any{"similarity": 1.0}},
		{chat.Embeddings{Tokens: new(7)}, map[string]any{"similarity": 1.0, "embedding_tokens": 7}},
		{chat.Embeddings{Tokens: new(7), CostUSD: new(1.4e-7)}, map[string]any{
			"similarity": 1.0, "embedding_tokens": 7, "embedding_cost_usd": 1.4e-7,
		}},
	} {
		s := replied("yes")
		s.Embedder = &fakeEmbedder{vectors: vectors, spent: tc.spent}
		v := judgeJSON(t, s, "cosine_similarity", `{"reference": "yes"}`)
		if diff := cmp.Diff(tc.want, v.Details); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
