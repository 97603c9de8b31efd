package providers

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/scenario"
)

// flaky fails some times before it works.
type flaky struct {
	failures, calls int
	kind            Kind
	model           string
	tokens          *int
}

func (f *flaky) Embed(_ context.Context, texts []string) (chat.Embeddings, error) {
	if f.calls++; f.calls <= f.failures {
		return chat.Embeddings{}, &Error{Kind: f.kind, Msg: "busy"}
	}
	return chat.Embeddings{Vectors: make([][]float64, len(texts)), Model: f.model, Tokens: f.tokens}, nil
}

func TestEmbeddingsAreRetried(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		next  *flaky
		calls int
		works bool
	}{
		{"at once", &flaky{}, 1, true},
		{"after a while", &flaky{failures: 2, kind: RateLimit}, 3, true},
		{"too often", &flaky{failures: 9, kind: Transport}, 4, false},
		{"for good", &flaky{failures: 9, kind: Auth}, 1, false},
	} {
		spec := &scenario.Provider{RPS: 1000, Burst: 10, MaxConcurrent: 1}
		e := Embedding(c.next, spec, &Resilience{Policy: scenario.RetryPolicy{BaseDelay: time.Microsecond}})
		got, err := e.Embed(t.Context(), []string{"a", "b"})
		if c.next.calls != c.calls || (err == nil) != c.works || c.works && len(got.Vectors) != 2 {
			t.Errorf("%s: %d calls, %d vectors, %v", c.name, c.next.calls, len(got.Vectors), err)
		}
		var failed *Error
		if err != nil && (!errors.As(err, &failed) || failed.Attempts != c.calls) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestEmbeddingsArePriced(t *testing.T) {
	t.Parallel()
	tokens := new(2000)
	for _, c := range []struct {
		name string
		spec scenario.Provider
		next flaky
		want *float64
	}{
		{"as configured", scenario.Provider{Pricing: &scenario.Pricing{InputPer1K: 0.5}}, flaky{tokens: tokens}, new(1.0)},
		{"by the model of the file", scenario.Provider{Type: "openai", Model: "text-embedding-3-small"},
			flaky{tokens: tokens}, new(0.00004)},
		{"by the model of the reply", scenario.Provider{Type: "azure", Model: "mine"},
			flaky{tokens: tokens, model: "text-embedding-ada-002"}, new(0.0002)},
		{"on a machine of one's own", scenario.Provider{Type: "ollama"}, flaky{tokens: tokens}, new(0.0)},
		{"a model without a price", scenario.Provider{Type: "openai", Model: "mine"}, flaky{tokens: tokens}, nil},
		{"tokens that nobody counted", scenario.Provider{Type: "ollama"}, flaky{}, nil},
	} {
		got, err := Embedding(&c.next, &c.spec, &Resilience{}).Embed(t.Context(), []string{"a"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got.CostUSD, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestEmbeddingsArePaced(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), hang.Guard)
	defer cancel()
	e := Embedding(&flaky{}, &scenario.Provider{RPS: 0.0001, Burst: 1}, &Resilience{})
	if _, err := e.Embed(ctx, []string{"a"}); err != nil {
		t.Error(err)
	}
	var failed *Error
	if _, err := e.Embed(ctx, []string{"a"}); !errors.As(err, &failed) || failed.Kind != Timeout {
		t.Errorf("a call beyond the limit: %v", err)
	}
}
