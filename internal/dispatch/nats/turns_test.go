package nats_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/hang"
)

func limitsOn(t *testing.T, trials *nats.Trials) *nats.Limits {
	t.Helper()
	l, err := trials.Limits(aRun)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// TestTurnsAreShared: however many ask for turns, and over however many connections, there are no more of them in a
// time than the rate and the burst allow.
func TestTurnsAreShared(t *testing.T) {
	t.Parallel()
	const rps, burst, workers, callers, calls = 100, 5, 3, 10, 4
	b := natstest.New(t)
	began := time.Now()
	var all sync.WaitGroup
	for range workers {
		turns := limitsOn(t, trialsOn(t, b)).Of("model", rps, burst)
		for range callers {
			all.Go(func() {
				for range calls {
					if err := turns.Wait(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	const least = time.Duration(workers*callers*calls-burst) * time.Second / rps
	if took := time.Since(began); took < least { // it is meant to pass
		t.Errorf("%d turns took %s, less than %s", workers*callers*calls, took, least)
	}
}

// TestTurnsThatComeTooLate fail at once, and a call that is given up is not waited for.
func TestTurnsThatComeTooLate(t *testing.T) {
	t.Parallel()
	turns := limitsOn(t, trialsOn(t, natstest.New(t))).Of("model", 0.0001, 1)
	if err := turns.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), hang.Guard)
	defer cancel()
	if err := turns.Wait(soon); !errors.Is(err, context.DeadlineExceeded) || soon.Err() != nil {
		t.Errorf("%v, %v", err, soon.Err())
	}
	stop := errors.New("stop")
	ended, end := context.WithCancelCause(t.Context())
	end(stop)
	if err := turns.Wait(ended); !errors.Is(err, stop) {
		t.Error(err)
	}
}

// TestPausesAreShared: what a server asks one worker for holds for all of them, and for no other provider.
func TestPausesAreShared(t *testing.T) {
	t.Parallel()
	const guard = time.Minute // a message asks for ten at most
	b := natstest.New(t)
	one, two := limitsOn(t, trialsOn(t, b)), limitsOn(t, trialsOn(t, b))
	model, other := two.Of("model", 0, 0), two.Of("other", 0, 0)
	asked := one.Of("model", 0, 0)
	soon, cancel := context.WithTimeout(t.Context(), guard) // it is meant to pass for a caller that waits
	defer cancel()
	for model.Wait(soon) == nil { // until it has been heard
		asked.Pause(2 * guard)
	}
	if soon.Err() != nil {
		t.Error("the pause was not heard")
	}
	for limitsOn(t, trialsOn(t, b)).Of("model", 0, 0).Wait(soon) == nil && soon.Err() == nil {
		t.Log("who comes later does not know of the pause yet")
	}
	if err := errors.Join(other.Wait(soon), one.Of("other", 0, 0).Wait(soon)); err != nil {
		t.Error(err)
	}
}
