package providers

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// slow takes a second for each call and knows how many run at once.
type slow struct{ running, most atomic.Int64 }

func (s *slow) Complete(context.Context, *chat.Request, func(chat.Delta) error) (chat.Reply, error) {
	n := s.running.Add(1)
	defer s.running.Add(-1)
	for most := s.most.Load(); n > most && !s.most.CompareAndSwap(most, n); most = s.most.Load() {
	}
	<-time.After(time.Second) // is meant to pass, in a bubble
	return chat.Reply{}, nil
}

func TestLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &slow{}
		p := Limit(s, 3, nil)
		began := time.Now()
		var g sync.WaitGroup
		for range 9 {
			g.Go(func() {
				if _, err := p.Complete(t.Context(), &chat.Request{}, nil); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		over := errors.New("over")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(over)
		if _, err := p.Complete(ctx, &chat.Request{}, nil); !errors.Is(err, over) {
			t.Errorf("a call whose context is done waits: %v", err)
		}
		g.Wait()
		if took := time.Since(began); s.most.Load() != 3 || took != 3*time.Second {
			t.Errorf("%d at once, %s in all; want 3 and 3s", s.most.Load(), took)
		}
	})
}

func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := Pace(fails(), &scenario.Provider{RPS: 2, Burst: 3}, nil)
		began := time.Now()
		var at []time.Duration
		for range 6 {
			if _, err := p.Complete(t.Context(), &chat.Request{}, nil); err != nil {
				t.Fatal(err)
			}
			at = append(at, time.Since(began))
		}
		want := []time.Duration{0, 0, 0, time.Second / 2, time.Second, 3 * time.Second / 2}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("times (-want +got):\n%s", diff)
		}
	})
}

func TestPaceAndContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := Pace(fails(), &scenario.Provider{RPS: 0.1, Burst: 1}, nil)
		if _, err := p.Complete(t.Context(), &chat.Request{}, nil); err != nil {
			t.Fatal(err)
		}
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := p.Complete(soon, &chat.Request{}, nil)
		var failed *Error
		if !errors.As(err, &failed) || failed.Kind != Timeout || failed.Temporary() || time.Since(began) != 0 {
			t.Errorf("got %v after %s, want a final timeout at once", err, time.Since(began))
		}
		over := errors.New("over")
		ctx, stop := context.WithCancelCause(t.Context())
		stop(over)
		if _, err := p.Complete(ctx, &chat.Request{}, nil); !errors.Is(err, over) {
			t.Errorf("got %v, want the cause of the context", err)
		}
	})
}

func TestWithoutLimits(t *testing.T) {
	t.Parallel()
	f := fails()
	spec := &scenario.Provider{Type: "vllm"}
	if p := Cost(Retry(Limit(Pace(f, &scenario.Provider{Burst: 5}, nil), 0, nil), scenario.RetryPolicy{Attempts: 1}, nil), spec); p != Provider(f) {
		t.Errorf("got %T, want the provider as it is", p)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	f := fails()
	p := Cost(Retry(Limit(Pace(f, &scenario.Provider{RPS: 5, Burst: 5}, nil), 5, nil), scenario.RetryPolicy{}, nil), &scenario.Provider{Type: "ollama"})
	if err := Close(p); err != nil || f.closed != 1 {
		t.Errorf("closed %d times, %v", f.closed, err)
	}
	if err := Close(&slow{}); err != nil {
		t.Errorf("a provider that holds nothing: %v", err)
	}
}
