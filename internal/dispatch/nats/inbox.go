package nats

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
)

// Inbox collects the results of a run's requests. It is safe for concurrent use.
type Inbox struct {
	run string

	mu      sync.Mutex
	waiting map[string]*response // by request
	broken  error                // why no more results come
	client  *Client              // nil before Collect
}

// response is what has arrived for a request.
type response struct {
	results map[string]dispatch.Result
	dead    *dispatch.Dead
	done    chan struct{} // closed when nothing is missing
}

// NewInbox makes the inbox of a run.
func NewInbox(run string) *Inbox { return &Inbox{run: run, waiting: map[string]*response{}} }

// Collect reads results and dead letters of the run until ctx ends.
func (b *Inbox) Collect(ctx context.Context, c *Client) {
	b.mu.Lock()
	b.client = c
	b.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() {
		b.fail(c.follow(ctx, c.Results, c.resultsOfRun(b.run), 1, func(m jetstream.Msg, _ *jetstream.MsgMetadata) error {
			if r, err := dispatch.DecodeResult(m.Data()); err == nil { // other messages are ignored
				b.result(r)
			}
			return nil
		}))
	})
	both.Go(func() {
		b.fail(c.follow(ctx, c.Dead, c.deadOfRun(b.run), 1, func(m jetstream.Msg, _ *jetstream.MsgMetadata) error {
			if d, err := dispatch.DecodeDead(m.Data()); err == nil {
				b.dead(d)
			}
			return nil
		}))
	})
	both.Wait()
}

// Expect registers a request. It must be called before the request is published.
func (b *Inbox) Expect(request string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting[request] == nil {
		b.waiting[request] = &response{results: map[string]dispatch.Result{}, done: make(chan struct{})}
	}
}

func (b *Inbox) result(r *dispatch.Result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.waiting[r.Request]
	if a == nil || a.complete() {
		return
	}
	a.results[r.ID] = *r
	if len(a.results) >= r.Of {
		close(a.done)
	}
}

func (b *Inbox) dead(d *dispatch.Dead) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if a := b.waiting[d.Request]; a != nil && !a.complete() {
		a.dead = d
		close(a.done)
	}
}

func (b *Inbox) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil && b.broken == nil {
		b.broken = err
	}
}

func (a *response) complete() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// Await returns the results of an expected request. It returns an error when they do not arrive within the limit, or
// when the request was given up.
func (b *Inbox) Await(ctx context.Context, request string, limit time.Duration) ([]dispatch.Result, error) {
	b.mu.Lock()
	a := b.waiting[request]
	b.mu.Unlock()
	if a == nil {
		return nil, errors.New("nothing was asked for")
	}
	defer b.forget(request)
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-a.done:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-t.C:
		return nil, b.late(a, limit)
	}
	if a.dead != nil {
		return nil, fmt.Errorf("the request was given up: %s", a.dead.Reason)
	}
	list := make([]dispatch.Result, 0, len(a.results))
	for _, r := range a.results {
		list = append(list, r)
	}
	return list, nil
}

func (b *Inbox) late(a *response, limit time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken != nil {
		return b.broken
	}
	if b.client != nil && b.client.disconnected.Load() {
		return fmt.Errorf(
			"the results did not come within %s: the connection to the broker at %s is lost, and it does not answer", limit,
			b.client.Address())
	}
	if len(a.results) > 0 {
		return fmt.Errorf("only some results came within %s", limit)
	}
	return fmt.Errorf("no result came within %s: is a worker running?", limit)
}

func (b *Inbox) forget(request string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, request)
}
