package nats

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/fleet"
)

// TrialWorker takes the jobs of one run that this machine can run, and stores their outcomes.
type TrialWorker struct {
	Trials *Trials
	Run    string
	Needs  []string // for which jobs are taken
	Jobs   int      // at once; at least 1
	Name   string   // of the worker
	// MaxDeliver is how often a job is delivered before it is given up.
	MaxDeliver int
	AckWait    time.Duration // see Worker
	// Do runs a job, and returns its outcome. After an error the job is given back, and not taken here for a while. It is
	// called by several goroutines.
	Do func(ctx context.Context, j *fleet.Job) (*fleet.Done, error)
	// Check refuses a job that is not of the run's plan.
	Check func(j *fleet.Job) error
	// MaxOutcome is the largest result that is sent, in bytes; 0: fleet.MaxOutcome.
	MaxOutcome int
	// Busy is called with 1 before each job and with -1 after it; it may be nil.
	Busy   func(more int)
	Notify func(string)

	fail    func(error) // ends Serve
	mu      sync.Mutex
	inHand  map[int]int // jobs by index, until their outcomes are stored
	slots   chan struct{}
	onWay   chan struct{} // results that are being stored while their slots run the next trials
	stores  atomic.Bool   // a result was stored: the broker takes them
	ackWait atomic.Int64  // the shortest of the consumers: a time.Duration
}

// Serve takes jobs until ctx ends, and finishes those that it has begun. When hard ends, they end at once, and their
// jobs are returned. It returns an error if the broker refuses an essential request, such as storing results: trials
// would be paid for again and again.
func (w *TrialWorker) Serve(ctx, hard context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	const share = 4 // of the slots may be a result ahead
	w.slots, w.onWay = make(chan struct{}, w.Jobs), make(chan struct{}, 1+w.Jobs/share)
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	w.fail = func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if failed == nil || !strings.Contains(failed.Error(), err.Error()) { // the same comes of each job in hand
			failed = errors.Join(failed, err)
		}
		cancel(err)
	}
	for _, need := range w.Needs {
		all.Go(func() {
			if err := w.serve(ctx, hard, need); err != nil {
				w.fail(err)
			}
		})
	}
	all.Wait()
	return failed
}

// serve takes the jobs of one need.
func (w *TrialWorker) serve(ctx, hard context.Context, need string) error {
	var running sync.WaitGroup
	defer running.Wait()
	var consumer jetstream.Consumer
	for try := 0; ctx.Err() == nil; {
		if consumer == nil {
			var err error
			if consumer, err = w.consumer(ctx, need); err != nil {
				return ignoreEnd(ctx, err)
			}
		}
		n := w.take(ctx)
		if n == 0 {
			return nil
		}
		got, err := w.fetch(ctx, consumer, n, func(m jetstream.Msg) {
			running.Go(func() {
				free := sync.OnceFunc(func() { w.release(1) })
				defer free()
				w.handle(hard, m, free)
			})
		})
		w.release(n - got)
		switch {
		case err == nil:
			try = 0
			continue
		case ctx.Err() != nil:
			return nil
		}
		if ended := w.Trials.closedError(); ended != nil {
			return ended
		}
		w.Trials.pause(ctx, delay(try))
		try++
		if errors.Is(err, natsgo.ErrNoResponders) || errors.Is(err, jetstream.ErrConsumerDeleted) ||
			errors.Is(err, jetstream.ErrConsumerNotFound) {
			consumer = nil
		}
	}
	return nil
}

// take waits for a free slot, and takes further free slots up to its share; 0: ctx has ended.
func (w *TrialWorker) take(ctx context.Context) int {
	select {
	case <-ctx.Done():
		return 0
	case w.slots <- struct{}{}:
	}
	n := 1
	for share := (w.Jobs - len(w.slots)) / len(w.Needs); n <= share; n++ {
		select {
		case w.slots <- struct{}{}:
			continue
		default:
		}
		break
	}
	return n
}

func (w *TrialWorker) release(n int) {
	for range n {
		<-w.slots
	}
}

// fetch waits a little for up to n jobs.
func (w *TrialWorker) fetch(
	ctx context.Context, consumer jetstream.Consumer, n int, take func(jetstream.Msg),
) (got int, err error) {
	const wait = time.Second // a slot that waits here is not available for other needs
	batch, err := consumer.Fetch(n, jetstream.FetchMaxWait(wait))
	if err != nil {
		return 0, err
	}
	for msg := range batch.Messages() {
		got++
		take(msg)
	}
	err = batch.Error()
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, natsgo.ErrTimeout) ||
		errors.Is(err, jetstream.ErrNoMessages) || ctx.Err() != nil {
		err = nil
	}
	return got, err
}

// consumer creates the consumer that the workers of the run share for a need, or finds it.
func (w *TrialWorker) consumer(ctx context.Context, need string) (found jetstream.Consumer, err error) {
	t := w.Trials
	err = t.retry(ctx, func(ctx context.Context) error {
		name := consumerOf(w.Run, need)
		found, err = t.js.Consumer(ctx, t.Stream, name)
		err = missingIsTransient(err)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			found, err = t.js.CreateConsumer(ctx, t.Stream, jetstream.ConsumerConfig{
				Durable: name, Description: "Workers of a run. Made by arena.", FilterSubject: t.jobsFor(w.Run, need),
				AckPolicy: jetstream.AckExplicitPolicy, AckWait: w.AckWait, MaxDeliver: -1, MaxAckPending: maxInHands,
				InactiveThreshold: forgotten,
			})
			err = missingIsTransient(err)
		}
		if err != nil && (t.isTransient(err) || errors.Is(err, jetstream.ErrConsumerExists)) {
			return natsgo.ErrTimeout
		}
		if err != nil {
			return t.explain(fmt.Errorf("consumer %s of the stream %s: %w", name, t.Stream, err))
		}
		w.wait(found.CachedInfo().Config.AckWait) // another worker may have created it
		return nil
	})
	return found, err
}

// wait notes after which silence a job goes to another worker.
func (w *TrialWorker) wait(limit time.Duration) {
	for {
		was := w.ackWait.Load()
		if was > 0 && was <= int64(limit) || w.ackWait.CompareAndSwap(was, int64(limit)) {
			return
		}
	}
}

const (
	maxInHands = 100_000
	forgotten  = 7 * 24 * time.Hour // without a worker, a consumer goes
)

// handle runs one job and stores its outcome. Only after that it confirms the job. It calls free when the slot of the
// job may run another one, which need not wait for the broker.
func (w *TrialWorker) handle(hard context.Context, msg jetstream.Msg, free func()) {
	meta, err := msg.Metadata()
	if err != nil {
		return // not from a stream
	}
	if w.Busy != nil {
		w.Busy(1)
		defer w.Busy(-1)
	}
	alive, stop := context.WithCancel(context.WithoutCancel(hard))
	defer stop()
	go w.keepAlive(alive, msg)
	job, err := w.decode(msg)
	if err != nil {
		w.Notify(fmt.Sprintf("a job was refused: %v", err))
		_ = msg.Term() // no worker of this run could take it
		return
	}
	w.hold(job.Index, 1)
	defer w.hold(job.Index, -1)
	tries := int(min(meta.NumDelivered, 1<<20)) //nolint:gosec // bounded
	if (tries > 1 || job.Again) && w.isStored(hard, job) {
		_ = msg.DoubleAck(hard) // otherwise it comes again, and is found stored again
		return
	}
	outcome, err := w.outcome(hard, job, tries)
	if err != nil {
		if hard.Err() == nil {
			w.Notify(fmt.Sprintf("the trial %s is given back: %v", job.Trial, err))
		}
		_ = msg.NakWithDelay(giveBackDelay)
		return
	}
	defer w.moveOn(free)()
	if err := w.keep(context.WithoutCancel(hard), job, outcome); err != nil {
		w.Notify(fmt.Sprintf("the result of the trial %s cannot be stored: %v", job.Trial, err))
		_ = msg.NakWithDelay(giveBackDelay)
		if _, refused := errors.AsType[*Error](err); refused { // the next ones would be refused too
			w.fail(err)
		}
		return
	}
	w.stores.Store(true)
	once, cancel := context.WithTimeout(context.WithoutCancel(hard), askTimeout)
	defer cancel()
	_ = msg.DoubleAck(once) // otherwise it comes again, and is found stored
}

// moveOn frees the slot of a job whose outcome is about to be stored, unless many outcomes are on their way, or none
// was stored yet: a broker that takes none must not cost more trials. The returned function is called when it is
// stored.
func (w *TrialWorker) moveOn(free func()) (stored func()) {
	if !w.stores.Load() {
		return func() {}
	}
	select {
	case w.onWay <- struct{}{}:
		free()
		return func() { <-w.onWay }
	default:
		return func() {}
	}
}

// decode reads the job of a message, and returns an error for jobs of other runs.
func (w *TrialWorker) decode(msg jetstream.Msg) (*fleet.Job, error) {
	job, err := fleet.DecodeJob(msg.Data(), w.Run)
	if err != nil {
		return nil, err
	}
	return job, w.Check(job)
}

// outcome runs a job, and returns its result. A job that was delivered too often is not run: its outcome is an error.
func (w *TrialWorker) outcome(hard context.Context, job *fleet.Job, tries int) (*fleet.Outcome, error) {
	o := &fleet.Outcome{
		Protocol: fleet.Protocol, Run: job.Run, Index: job.Index, Trial: job.Trial, Fingerprint: job.Fingerprint,
		Worker: w.Name, Tries: tries,
	}
	if tries > w.MaxDeliver {
		o.Error = fmt.Sprintf("it was given to workers %d times, and none of them sent a result: they died, lost the "+
			"connection, or gave it back", w.MaxDeliver)
		return o, nil
	}
	done, err := w.Do(hard, job)
	if err != nil {
		return nil, err
	}
	o.Line = done.Line
	for name, data := range done.Parts {
		if o.Parts == nil {
			o.Parts = map[string]*fleet.Part{}
		}
		o.Parts[name] = &fleet.Part{Data: data}
	}
	return o, nil
}

func (w *TrialWorker) hold(index, more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.inHand == nil {
		w.inHand = map[int]int{}
	}
	if w.inHand[index] += more; w.inHand[index] == 0 {
		delete(w.inHand, index)
	}
}

// Holds are the jobs that are in hand now.
func (w *TrialWorker) Holds() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.inHand))
}

// giveBackDelay is how long a job that was given back waits.
const giveBackDelay = time.Second

func (w *TrialWorker) keepAlive(ctx context.Context, msg jetstream.Msg) {
	tick := time.NewTicker(max(time.Duration(w.ackWait.Load())/3, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = msg.InProgress() // on an error another worker gets the job later, and finds the result if there is one
		}
	}
}

// isStored reports whether the result of a job is stored. It returns false when that is not known.
func (w *TrialWorker) isStored(ctx context.Context, j *fleet.Job) bool {
	once, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	stream, err := w.Trials.js.Stream(once, w.Trials.Results)
	if err != nil {
		return false
	}
	_, err = stream.GetLastMsgForSubject(once, w.Trials.outcome(j.Run, j.Index))
	return err == nil
}

// keep stores the outcome of a job. If the broker cannot store it in any form, it stores an error with the reason:
// another run of the trial would cost as much, and fail in the same way.
func (w *TrialWorker) keep(ctx context.Context, j *fleet.Job, o *fleet.Outcome) error {
	err := w.store(ctx, j, o)
	if !errors.Is(err, ErrTooLarge) {
		return err
	}
	w.Notify(fmt.Sprintf("the result of the trial %s is left out: %v", j.Trial, err))
	o.Line, o.Apart, o.Size, o.Parts = nil, "", 0, nil
	o.Error = fmt.Sprintf("it was run, and its result cannot be sent: %v", err)
	return w.store(ctx, j, o)
}

// store stores the outcome of a job. A large line is stored as a separate file. If a job ran twice, the first outcome
// counts.
func (w *TrialWorker) store(ctx context.Context, j *fleet.Job, o *fleet.Outcome) error {
	limit := w.Trials.conn.MaxPayload() - maxHeader
	if err := w.storeParts(ctx, o, limit/2); err != nil { //nolint:mnd // the line has the other half
		return err
	}
	data, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	if int64(len(data)) > limit && len(o.Line) > 0 {
		if len(data) > w.largest() {
			return &Error{fmt.Sprintf("it has %s, and at most %s are sent", dispatch.Size(len(data)),
				dispatch.Size(w.largest())), ErrTooLarge}
		}
		o.Apart, o.Size = partName(j.Run, o.Line), int64(len(o.Line))
		if err := w.Trials.PutFile(ctx, o.Apart, o.Line); err != nil {
			return err
		}
		o.Line = nil
		if data, err = json.Marshal(o); err != nil {
			return fmt.Errorf("encode the result: %w", err)
		}
	}
	_, err = w.Trials.storeOnce(ctx, w.Trials.Results, w.Trials.outcome(j.Run, j.Index), data)
	return err
}

func (w *TrialWorker) largest() int { return cmp.Or(w.MaxOutcome, fleet.MaxOutcome) }

// storeParts stores parts of an outcome as separate files if they are too large together. A part above the limit is
// dropped, with the reason: the trial itself was paid for.
func (w *TrialWorker) storeParts(ctx context.Context, o *fleet.Outcome, room int64) error {
	for _, name := range slices.Sorted(maps.Keys(o.Parts)) {
		p := o.Parts[name]
		const base64 = 4.0 / 3 // of the message
		switch needs := int64(float64(len(p.Data)) * base64); {
		case needs <= room:
			room -= needs
			continue
		case len(p.Data) > w.largest():
			p.Error = fmt.Sprintf("%v: it has %s", ErrTooLarge, dispatch.Size(len(p.Data)))
		default:
			p.Apart, p.Size = partName(o.Run, p.Data), int64(len(p.Data))
			if err := w.Trials.PutFile(ctx, p.Apart, p.Data); err != nil {
				return err
			}
		}
		p.Data = nil
	}
	return nil
}
