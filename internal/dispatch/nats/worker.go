package nats

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/result"
)

// Evaluator runs the evals of a request. Implementations are safe for concurrent use. An error means that nothing could
// be measured; a *dispatch.RefusedError that nothing ever will.
type Evaluator interface {
	Evaluate(ctx context.Context, r *dispatch.Request) ([]result.EvalResult, error)
}

// Worker takes requests from the stream and stores what their evals measured.
type Worker struct {
	Client    *Client
	Evaluator Evaluator
	Name      string // who ran an eval, in results
	Durable   string // the consumer that workers share; "" is DefaultDurable
	Jobs      int    // requests at once; at least 1
	// MaxDeliver is how often a request is tried before it is given up; 0 is 5.
	MaxDeliver int
	// GiveBack is for how long a request is given back for other workers that does not fit this one; then, or with 0 at
	// once, it is given up.
	GiveBack time.Duration
	// AckWait is how long the broker waits for a sign of life before it gives a request to another worker; 0 is 30s, or
	// what the consumer has.
	AckWait time.Duration
	// Idle ends the worker once nothing has been left to do for that long; 0: it never ends by itself.
	Idle time.Duration
	// Behind reports that more requests may come, so that the worker is not idle; nil: none that are known of.
	Behind func() bool
	Now    func() time.Time
	// Retry is how long a request waits after its n-th failed try, from 1; nil is 1s, 2s, 4s and so on up to 1m.
	Retry func(n int) time.Duration
	// Tell hears of requests that fail, from any goroutine; nil: nobody does.
	Tell func(string)

	stats    stats
	toldMu   sync.Mutex
	told     map[string]bool // why requests were given back
	consumer jetstream.Consumer
	ackWait  time.Duration
	begun    time.Time
	busy     atomic.Int64 // when something was last done: a time.Duration since begun
}

// The defaults of a Worker.
const (
	DefaultDurable    = "arena-workers"
	DefaultMaxDeliver = 5
	DefaultAckWait    = 30 * time.Second
)

// Stats counts what a worker did.
type Stats struct {
	Requests    int64 // done, the dead ones included
	Results     int64 // stored
	Doubles     int64 // results that the stream had already
	Redelivered int64 // requests that had been given to somebody before
	Skipped     int64 // of those, the ones whose results were all there
	Dead        int64 // given up
	GivenBack   int64 // left to other workers
}

type stats struct{ requests, results, doubles, redelivered, skipped, dead, givenBack atomic.Int64 }

// Stats are the counts so far.
func (w *Worker) Stats() Stats {
	s := &w.stats
	return Stats{
		s.requests.Load(), s.results.Load(), s.doubles.Load(), s.redelivered.Load(), s.skipped.Load(), s.dead.Load(),
		s.givenBack.Load(),
	}
}

// Run works until ctx ends, and then finishes what it has begun. When hard ends it stops at once; what was not stored
// is given to another worker. It returns an error only when the broker refuses the work,
// or was away for longer than the client waits.
func (w *Worker) Run(ctx, hard context.Context) error {
	w.complete()
	if err := w.open(ctx); err != nil {
		return ignoreEnd(ctx, err)
	}
	told := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w.begun = time.Now() // not Now, which may stand still
	var slots sync.WaitGroup
	for range w.Jobs {
		slots.Go(func() {
			if err := w.work(ctx, hard); err != nil {
				cancel(err)
			}
		})
	}
	slots.Wait()
	if cause := context.Cause(ctx); !errors.Is(cause, errIdle) {
		return ignoreEnd(told, cause)
	}
	return nil
}

// ignoreEnd is nil for errors that only say that the worker was told to end; what refused the work is an *Error.
func ignoreEnd(ctx context.Context, err error) error {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused
	}
	return ignoreStop(ctx, err)
}

var errIdle = errors.New("nothing is left to do")

func (w *Worker) complete() {
	w.Durable = cmp.Or(w.Durable, DefaultDurable)
	w.Jobs = max(w.Jobs, 1)
	w.MaxDeliver = cmp.Or(w.MaxDeliver, DefaultMaxDeliver)
	if w.Retry == nil {
		w.Retry = func(n int) time.Duration { return min(time.Second<<min(n-1, 10), time.Minute) }
	}
	if w.Tell == nil {
		w.Tell = func(string) {}
	}
}

// work is one slot: a request after the other.
func (w *Worker) work(ctx, hard context.Context) error {
	for try := 0; ctx.Err() == nil; {
		msg, err := w.next(ctx)
		switch {
		case msg != nil:
			try = 0
			rest, err := w.handle(hard, msg)
			w.busy.Store(int64(time.Since(w.begun)))
			if err != nil {
				return err
			}
			if rest > 0 {
				w.Client.pause(ctx, rest)
			}
		case err == nil:
			try = 0
			if w.idle(ctx) {
				return errIdle
			}
		default:
			if err := w.trouble(ctx, err, try); err != nil {
				return err
			}
			try++
		}
	}
	return nil
}

// next waits a while for a request. Without one and without an error there is none.
func (w *Worker) next(ctx context.Context) (jetstream.Msg, error) {
	wait := 10 * time.Second
	if w.Idle > 0 {
		wait = min(wait, max(w.Idle/2, 100*time.Millisecond))
	}
	once, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	opts := []jetstream.FetchOpt{jetstream.FetchContext(once)}
	if wait >= 2*heartbeat {
		opts = append(opts, jetstream.FetchHeartbeat(heartbeat))
	}
	batch, err := w.consumer.Fetch(1, opts...)
	if err != nil {
		return nil, err
	}
	for msg := range batch.Messages() {
		return msg, nil
	}
	err = batch.Error()
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, natsgo.ErrTimeout) ||
		errors.Is(err, jetstream.ErrNoMessages) || ctx.Err() != nil {
		return nil, nil
	}
	return nil, err
}

// heartbeat is how often the broker says that it still looks for requests: after a restart it has forgotten who asked.
const heartbeat = time.Second

// trouble waits before another try. A consumer that is gone is made again.
func (w *Worker) trouble(ctx context.Context, err error, try int) error {
	if ended := w.Client.ended(); ended != nil {
		return ended
	}
	if w.Client.forbidden() {
		return w.Client.explain(w.Client.why(err))
	}
	w.Client.pause(ctx, delay(try))
	if !errors.Is(err, natsgo.ErrNoResponders) && !errors.Is(err, jetstream.ErrConsumerDeleted) &&
		!errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil
	}
	if err := w.Client.Prepare(ctx); err != nil {
		return err
	}
	_, _, err = w.Client.consumer(ctx, w)
	return err
}

func (w *Worker) open(ctx context.Context) error {
	if err := w.Client.Prepare(ctx); err != nil {
		return err
	}
	var err error
	w.consumer, w.ackWait, err = w.Client.consumer(ctx, w)
	return err
}

// idle reports whether there has been nothing to do for long enough, here and at workers that may have died.
func (w *Worker) idle(ctx context.Context) bool {
	if w.Idle <= 0 || time.Since(w.begun)-time.Duration(w.busy.Load()) < w.Idle {
		return false
	}
	if w.Behind != nil && w.Behind() {
		return false
	}
	once, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	info, err := w.consumer.Info(once)
	return err == nil && info.NumPending == 0 && info.NumAckPending == 0
}
