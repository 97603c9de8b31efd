package nats_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/arena-evals/arena/internal/dispatch/natstest"
)

// TestSlotsAreShared: over however many connections, no more calls run at once than there are slots, and all get one.
func TestSlotsAreShared(t *testing.T) {
	t.Parallel()
	const most, workers, callers, calls = 2, 3, 5, 3
	b := natstest.New(t)
	var running, highest, done atomic.Int64
	var all sync.WaitGroup
	for range workers {
		slots := limitsOn(t, trialsOn(t, b)).Slots("model", most)
		for range callers {
			all.Go(func() {
				for range calls {
					free, err := slots.Take(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					n := running.Add(1)
					for was := highest.Load(); n > was && !highest.CompareAndSwap(was, n); was = highest.Load() {
					}
					done.Add(1)
					running.Add(-1)
					free()
				}
			})
		}
	}
	all.Wait()
	if highest.Load() > most || done.Load() != workers*callers*calls {
		t.Errorf("%d ran at once, and %d in all", highest.Load(), done.Load())
	}
}

// TestSlotsAreGivenBack: who gives up waiting gets none, another provider has slots of its own, and what a worker had
// is free when it has gone.
func TestSlotsAreGivenBack(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	one, two := limitsOn(t, trialsOn(t, b)), limitsOn(t, trialsOn(t, b))
	free, err := one.Slots("model", 1).Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	ended, end := context.WithCancelCause(t.Context())
	given := make(chan error)
	go func() {
		_, err := two.Slots("model", 1).Take(ended)
		given <- err
	}()
	other, err := two.Slots("other", 1).Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other()
	end(stop)
	if err := <-given; !errors.Is(err, stop) {
		t.Errorf("it got a slot that another one has: %v", err)
	}
	free()
	one.Close()
	free, err = two.Slots("model", 1).Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	free()
	if _, err := two.Slots("model", 1).Take(ended); !errors.Is(err, stop) {
		t.Errorf("who has given up gets one: %v", err)
	}
}
