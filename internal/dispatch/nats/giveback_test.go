package nats_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/result"
)

// unfit is the evaluator of a worker with another pack.
func unfit(context.Context, *dispatch.Request) ([]result.EvalResult, error) {
	return nil, &dispatch.RefusedError{Why: dispatch.UnknownEval, Reason: `this worker has no eval "tone"`, OtherWorker: true}
}

// TestGivenBack: while workers with the old pack are still there, nothing is lost; who has the new one gets it, and has
// all its tries.
func TestGivenBack(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	var want []string
	for i := range 60 {
		r := request(fmt.Sprintf("r%02d", i), "tone")
		publish(t, c, r)
		want = append(want, r.ID+"/tone")
	}
	deploy, over := context.WithCancel(t.Context())
	defer over()
	var old sync.WaitGroup
	var refused atomic.Int64
	everyTwice := make(chan struct{})
	for range 2 {
		old.Go(func() {
			w := worker(client(t, b), evaluate(func(ctx context.Context, r *dispatch.Request) ([]result.EvalResult, error) {
				if refused.Add(1) == 120 {
					close(everyTwice)
				}
				return unfit(ctx, r)
			}))
			w.Idle, w.GiveBack, w.MaxDeliver = 0, time.Hour, 1
			if err := w.Run(deploy, deploy); err != nil {
				t.Error(err)
			}
			if s := w.Stats(); s.Requests != 0 || s.Dead != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
	<-everyTwice
	w := worker(c, evaluate(both))
	w.MaxDeliver = 1
	run(t, w)
	over()
	old.Wait()
	same(t, want, results(t, b))
	same(t, nil, letters(t, b))
}

// TestNobodyTakes: a request that fits nobody for long is given up, with the reason, and every try of those that it
// fits counts as before.
func TestNobodyTakes(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	publish(t, c, request("lost", "tone"))
	var told []string
	w := worker(c, evaluate(unfit))
	w.GiveBack, w.Jobs, w.Notify = 300*time.Millisecond, 1, func(text string) { told = append(told, text) }
	s := run(t, w)
	if s.Requests != 1 || s.Dead != 1 || s.GivenBack < 2 {
		t.Errorf("%+v", s)
	}
	got := letters(t, b)
	form := regexp.MustCompile(`^lost: unknown-eval: this worker has no eval "tone"; no other worker took it within 300ms ` +
		`either, \d+ times gave it back$`)
	if len(got) != 1 || !form.MatchString(got[0]) {
		t.Errorf("%q", got)
	}
	if len(told) != 2 || told[0] != `request "lost" is given back for another worker, and given up if none takes it `+
		`within 300ms: this worker has no eval "tone"` {
		t.Errorf("%q", told)
	}
}

// TestTriesLast: giving back takes no try away, and gives none back.
func TestTriesLast(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	publish(t, c, request("stubborn", "tone"))
	w := worker(c, nil)
	calls := 0
	w.Jobs, w.MaxDeliver, w.GiveBack = 1, 3, time.Hour
	w.Evaluator = evaluate(func(ctx context.Context, r *dispatch.Request) ([]result.EvalResult, error) {
		if calls++; calls%2 == 1 {
			return unfit(ctx, r)
		}
		return nil, errors.New("the judge is away")
	})
	s := run(t, w)
	same(t, []string{"stubborn: exhausted: tried 3 times: the judge is away"}, letters(t, b))
	same(t, 3, int(s.GivenBack))
	dead := stored(t, b, "ARENA_EVALS_DEAD")
	d, err := dispatch.DecodeDead(dead[0].Data)
	if err != nil || d.Tries != 3 || !slices.Equal(d.Body, encode(t, request("stubborn", "tone"))) {
		t.Errorf("%+v, %v", d, err)
	}
}
