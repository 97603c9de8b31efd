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

// Evaluator runs the evals of a request. Implementations are safe for concurrent use. After an error the request is
// tried again, unless it is a *dispatch.RefusedError.
type Evaluator interface {
	Evaluate(ctx context.Context, r *dispatch.Request) ([]result.EvalResult, error)
}

// Worker takes requests from the stream and stores the results of their evals.
type Worker struct {
	Client    *Client
	Evaluator Evaluator
	Name      string // of the worker, in results
	Durable   string // consumer that the workers share; "" is DefaultDurable
	Jobs      int    // requests at once; at least 1
	// MaxDeliver is how often a request is tried before it is given up; 0 is 5.
	MaxDeliver int
	// GiveBack is how long a request that this worker cannot evaluate is given back for other workers before it is given
	// up; 0: it is given up at once.
	GiveBack time.Duration
	// AckWait is how long the broker waits for a progress message before it delivers a request to another worker; 0:
	// the setting of the consumer, or 30s for a new one.
	AckWait time.Duration
	// Idle ends the worker after that long without a request; 0: never.
	Idle time.Duration
	// Behind reports that more requests will come, so that the worker is not idle. It may be nil.
	Behind func() bool
	Now    func() time.Time
	// Retry is how long a request waits after its n-th failed try, from 1; nil is 1s, 2s, 4s and so on up to 1m.
	Retry func(n int) time.Duration
	// Notify is called with a message about each request that fails, from any goroutine. It may be nil.
	Notify func(string)

	stats           stats
	reasonsMu       sync.Mutex
	reportedReasons map[string]bool // why requests were given back
	consumer        jetstream.Consumer
	ackWait         time.Duration
	started         time.Time
	lastBusy        atomic.Int64 // end of the last request: a time.Duration since started
}

// The defaults of a Worker.
const (
	DefaultDurable    = "arena-workers"
	DefaultMaxDeliver = 5
	DefaultAckWait    = 30 * time.Second
)

// Stats counts what a worker did.
type Stats struct {
	Requests    int64 // requests that were done or given up
	Results     int64 // results that were stored
	Duplicates  int64 // results that the stream had already
	Redelivered int64 // requests that were delivered before
	Skipped     int64 // requests whose results were stored already
	Dead        int64 // requests that were given up
	GivenBack   int64 // requests that were given back for other workers
}

type stats struct{ requests, results, duplicates, redelivered, skipped, dead, givenBack atomic.Int64 }

// Stats are the counts so far.
func (w *Worker) Stats() Stats {
	s := &w.stats
	return Stats{
		s.requests.Load(), s.results.Load(), s.duplicates.Load(), s.redelivered.Load(), s.skipped.Load(), s.dead.Load(),
		s.givenBack.Load(),
	}
}

// Run takes requests until ctx ends, and finishes those that it has begun. When hard ends it stops at once, and the
// broker delivers unfinished requests to another worker. It returns an error only if the broker refuses the work, or
// was unreachable for longer than the client waits.
func (w *Worker) Run(ctx, hard context.Context) error {
	w.setDefaults()
	if err := w.open(ctx); err != nil {
		return ignoreEnd(ctx, err)
	}
	told := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w.started = time.Now() // not w.Now, which may be a fixed time
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

// ignoreEnd returns nil for an error caused by the end of ctx, else err.
func ignoreEnd(ctx context.Context, err error) error {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused
	}
	return ignoreStop(ctx, err)
}

var errIdle = errors.New("nothing is left to do")

func (w *Worker) setDefaults() {
	w.Durable = cmp.Or(w.Durable, DefaultDurable)
	w.Jobs = max(w.Jobs, 1)
	w.MaxDeliver = cmp.Or(w.MaxDeliver, DefaultMaxDeliver)
	if w.Retry == nil {
		w.Retry = func(n int) time.Duration { return min(time.Second<<min(n-1, 10), time.Minute) }
	}
	if w.Notify == nil {
		w.Notify = func(string) {}
	}
}

// work is one slot. It handles one request after the other.
func (w *Worker) work(ctx, hard context.Context) error {
	for try := 0; ctx.Err() == nil; {
		msg, err := w.next(ctx)
		switch {
		case msg != nil:
			try = 0
			rest, err := w.handle(hard, msg)
			w.lastBusy.Store(int64(time.Since(w.started)))
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
			if err := w.recoverFrom(ctx, err, try); err != nil {
				return err
			}
			try++
		}
	}
	return nil
}

// next waits a while for a request. It returns nil without an error when none has come.
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

// heartbeat is how often the broker confirms that a fetch is waiting. After a restart the broker has forgotten the
// fetch.
const heartbeat = time.Second

// recoverFrom waits before another try. It creates a consumer that is missing again.
func (w *Worker) recoverFrom(ctx context.Context, err error, try int) error {
	if ended := w.Client.closedError(); ended != nil {
		return ended
	}
	if w.Client.forbidden() {
		return w.Client.explain(w.Client.cause(err))
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

// idle reports whether no request came for Idle, and none is pending or in progress at any worker.
func (w *Worker) idle(ctx context.Context) bool {
	if w.Idle <= 0 || time.Since(w.started)-time.Duration(w.lastBusy.Load()) < w.Idle {
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
