package nats_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/fleet"
	"github.com/arena-evals/arena/internal/hang"
)

// oneSlot is a worker that runs one trial at a time.
func oneSlot(trials *nats.Trials, do func()) *nats.TrialWorker {
	return &nats.TrialWorker{
		Trials: trials, Run: aRun, Needs: []string{"model"}, Jobs: 1, Name: "w", MaxDeliver: 2, AckWait: 10 * time.Second,
		Do: func(context.Context, *fleet.Job) (*fleet.Done, error) {
			do()
			return &fleet.Done{Line: []byte(`{}`)}, nil
		},
		Check: func(*fleet.Job) error { return nil }, Notify: func(string) {},
	}
}

// TestSlotDoesNotWaitForTheBroker: while a result is being stored, its slot runs the next trial, once the broker has
// taken results. How many results may wait is limited.
func TestSlotDoesNotWaitForTheBroker(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	js := manage(t, b)
	trials := trialsOn(t, b)
	limit := func(bytes int64) {
		stream, err := js.Stream(t.Context(), "ARENA_TRIALS_RESULTS")
		if err != nil {
			t.Fatal(err)
		}
		config := stream.CachedInfo().Config
		config.MaxBytes, config.Discard = bytes, jetstream.DiscardNew
		if _, err := js.UpdateStream(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(indices ...int) {
		for _, i := range indices {
			if err := trials.Ask(t.Context(), aJob(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	begun := make(chan struct{}, 10)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- oneSlot(trials, func() { begun <- struct{}{} }).Serve(ctx, ctx) }()
	next := func() {
		select {
		case <-begun:
		case <-time.After(hang.Guard):
			t.Fatal("the trial is not run")
		}
	}
	ask(0)
	next()
	came(t, trials, 1)
	if err := trials.Taken(t.Context(), aRun); err != nil {
		t.Fatal(err)
	}
	limit(1)
	ask(1, 2, 3)
	next()
	next() // while the result of the first of them waits
	limit(-1)
	next()
	came(t, trials, 3)
	stop()
	if err := <-ended; err != nil || len(begun) > 0 {
		t.Errorf("%v, and %d trials more", err, len(begun))
	}
}

// BenchmarkIdleSlot measures how long a slot is empty between two trials.
func BenchmarkIdleSlot(b *testing.B) {
	trials := trialsOn(b, natstest.New(b))
	for i := range b.N {
		if err := trials.Ask(b.Context(), aJob(i)); err != nil {
			b.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	var ran atomic.Int64
	b.ResetTimer()
	err := oneSlot(trials, func() {
		if int(ran.Add(1)) == b.N {
			stop()
		}
	}).Serve(ctx, b.Context())
	if err != nil {
		b.Fatal(err)
	}
}
