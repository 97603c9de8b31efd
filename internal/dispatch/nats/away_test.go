package nats_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/result"
)

// TestDrain: told to stop, a worker finishes what it has begun and begins nothing.
func TestDrain(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	publish(t, c, request("a", "tone"), request("b", "tone"))
	w := worker(c, nil)
	w.Jobs, w.Idle = 1, 0
	ctx, stop := context.WithCancel(t.Context())
	w.Evaluator = evaluate(func(ctx context.Context, r *dispatch.Request) ([]result.EvalResult, error) {
		stop()
		return both(ctx, r)
	})
	if err := w.Run(ctx, t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, []string{"a/tone"}, results(t, b))
	same(t, 1, len(stored(t, b, "ARENA_EVALS")))
}

// TestRestart: a broker that goes away in the middle and comes back costs nothing.
func TestRestart(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	var want []string
	for i := range 40 {
		r := request(fmt.Sprintf("r%02d", i), "tone")
		publish(t, c, r)
		want = append(want, r.ID+"/tone")
	}
	told := make(chan string, 10)
	w := worker(connect(t, nats.Options{URL: b.URL(), Notify: func(s string) { told <- s }}), nil)
	w.AckWait = 2 * time.Second
	var once sync.Once
	down := make(chan struct{})
	w.Evaluator = evaluate(func(ctx context.Context, r *dispatch.Request) ([]result.EvalResult, error) {
		if r.ID == "r20" {
			once.Do(func() { b.Stop(); close(down) })
		}
		return both(ctx, r)
	})
	var restart sync.WaitGroup
	restart.Go(func() {
		<-down
		<-told
		if err := b.Start(); err != nil {
			t.Error(err)
		}
	})
	t.Log(run(t, w))
	restart.Wait() // workers are connected before the broker is told to be ready
	same(t, want, results(t, b))
	same(t, b.URL()+": connected again", <-told)
	// What was done with the broker away stays in the queue until somebody is handed it again, and finds the results.
	for len(stored(t, b, "ARENA_EVALS")) > 0 {
		next := worker(client(t, b), nil)
		next.Evaluator = evaluate(func(_ context.Context, r *dispatch.Request) ([]result.EvalResult, error) {
			t.Errorf("%s is judged twice", r.ID)
			return nil, nil
		})
		run(t, next)
	}
	same(t, want, results(t, b))
}

// TestAway: a worker whose broker does not come back ends with an error, after what it is measuring.
func TestAway(t *testing.T) {
	t.Parallel()
	for name, measures := range map[string]bool{"measuring": true, "waiting": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := natstest.New(t)
			publish(t, client(t, b), request("a"))
			told := make(chan string, 10)
			c := connect(t, nats.Options{URL: b.URL(), MaxAway: 50 * time.Millisecond, Notify: func(s string) { told <- s }})
			var once sync.Once
			down := make(chan struct{})
			stop := func() { b.Stop(); close(down) }
			var ended error // of the measuring
			w := worker(c, evaluate(func(ctx context.Context, r *dispatch.Request) ([]result.EvalResult, error) {
				if !measures {
					go once.Do(stop)
					return nil, errors.New("later") // so that there is always something left to do
				}
				once.Do(stop)
				same(t, b.URL()+": the connection is lost; trying again until the broker answers", <-told)
				ended = ctx.Err()
				return both(ctx, r)
			}))
			w.Idle, w.MaxDeliver = time.Millisecond, math.MaxInt
			out, err := c.ResultsOutput(filepath.Join(t.TempDir(), "results.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			copied := make(chan error)
			go func() { copied <- out.Copy(t.Context()) }()
			err = w.Run(t.Context(), t.Context())
			<-down
			for part, err := range map[string]error{"worker": err, "output": <-copied} {
				if want := b.URL() + ": the broker has been away for 50ms"; err == nil || err.Error() != want {
					t.Errorf("the %s ended with %v, want %s", part, err, want)
				}
			}
			if ended != nil || out.Close() != nil {
				t.Error(ended)
			}
		})
	}
}

// TestLateBroker: a worker that starts before its broker waits for it.
func TestLateBroker(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	b.Stop()
	told := make(chan string, 10)
	type connected struct {
		c   *nats.Client
		err error
	}
	done := make(chan connected)
	go func() {
		c, err := nats.Connect(t.Context(), nats.Options{URL: b.URL(), Notify: func(s string) { told <- s }})
		done <- connected{c, err}
	}()
	same(t, b.URL()+": the broker does not answer; trying again until it answers", <-told)
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	got := <-done
	if got.err != nil {
		t.Fatal(got.err)
	}
	got.c.Close()
	same(t, b.URL()+": connected", <-told)
}
