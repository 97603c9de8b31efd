package providers

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/scenario"
)

// flaky fails some times before it works.
type flaky struct {
	failures, calls int
	kind            Kind
}

func (f *flaky) Embed(_ context.Context, texts []string) ([][]float64, error) {
	if f.calls++; f.calls <= f.failures {
		return nil, &Error{Kind: f.kind, Msg: "busy"}
	}
	return make([][]float64, len(texts)), nil
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
		e := Embedding(c.next, spec, scenario.RetryPolicy{BaseDelay: time.Microsecond}, nil)
		vectors, err := e.Embed(t.Context(), []string{"a", "b"})
		if c.next.calls != c.calls || (err == nil) != c.works || c.works && len(vectors) != 2 {
			t.Errorf("%s: %d calls, %d vectors, %v", c.name, c.next.calls, len(vectors), err)
		}
		var failed *Error
		if err != nil && (!errors.As(err, &failed) || failed.Attempts != c.calls) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestEmbeddingsArePaced(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	e := Embedding(&flaky{}, &scenario.Provider{RPS: 0.001, Burst: 1}, scenario.RetryPolicy{}, nil)
	if _, err := e.Embed(ctx, []string{"a"}); err != nil {
		t.Error(err)
	}
	var failed *Error
	if _, err := e.Embed(ctx, []string{"a"}); !errors.As(err, &failed) || failed.Kind != Timeout {
		t.Errorf("a call beyond the limit: %v", err)
	}
}
