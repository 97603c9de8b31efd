package runner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/claims"
	"github.com/arena-evals/arena/internal/result"
)

// Options of a run.
type Options struct {
	Jobs        int // concurrent trials; at least 1
	MaxFailures int // number of failed and broken trials that ends the run; 0: no limit
	// MaxTrials is the highest number of trials to run, including kept ones; 0: no limit. Groups that are most likely
	// to get a verdict come first.
	MaxTrials int
	// MaxCost limits what agents and judges may spend in this run, in US dollars: a trial starts only if its expected
	// cost fits. 0: no limit. The plan must have passed Plan.ReportMaxCost.
	MaxCost float64
	// Overspent is called at the end with the cost of the run in US dollars, if it exceeds MaxCost, and its simulated
	// part. It may be nil.
	Overspent   func(usd, simulated float64)
	OnFailure   string // "", continue or stop; overrides the files
	Strict      bool   // warnings about a trial make it an error
	Temperature *float64
	MaxTokens   *int
	Seed        *int64
	JudgeGate   *bool // overrides the files
	// Eager lets waiting workers run trials that may not be needed, of groups that may end early. Verdicts do not
	// change, but more trials run.
	Eager     bool
	Now       func() time.Time
	Cassettes *cassette.Folder // records or replays the exchanges of trials; nil: neither
	// Again returns the command that records a trial again; with all, everything of it.
	Again func(t *result.Trial, all bool) string
	// Events sends all events to the sink. Without it the sink receives only starts and ends of trials, and other events
	// cost nothing.
	Events  bool
	Started time.Time // of the run; simulated time is counted from there
	// Scrub removes secrets from the line of a finished trial; nil: none. It is called after all checks, concurrently,
	// and determines what is stored and shown.
	Scrub func(line []byte) []byte
	// KeepMedia stores the bytes of a medium of a finished trial beside the results, and returns the medium for the
	// trial; nil: nothing is stored. It is called concurrently. An error ends the run, to pay for nothing that cannot
	// be stored.
	KeepMedia func(*chat.Media) (*chat.Media, error)
	// Crash receives a panic in a trial. The trial is an error, and the run goes on.
	Crash func(trial string, cause any, stack []byte)
	// Kept reports whether an earlier part of the run finished the trial at an index. It is not run again. nil: all run.
	Kept func(index int) bool
	// Unjudged returns the trial at an index from an earlier part of the run, if evals could not judge it: they judge
	// its conversation again, and nothing else changes. nil: no such trial. It may be nil.
	Unjudged func(index int) *Finished
	// Earlier returns the failed attempts of the trial at an index; may be nil.
	Earlier func(index int) []result.Attempt
	Only    []string // ids of the evals that may fire; nil: all
	// Dispatcher has workers run the evals; nil: this process does. The plan must have the matching DispatchMode.
	Dispatcher EvalDispatcher
	// Remote runs the trials elsewhere; nil: this process does. The endpoints of the plan are not called then.
	Remote Remote
	// FreeScenarios frees the turns and checks of a scenario after its last trial, to save memory: neither the plan nor
	// its suite can run again.
	FreeScenarios bool
	// Worker is the name of this process in the results of trials that it runs for others; "": it runs its own.
	Worker string
}

// Sink receives the events of a run in order, one at a time. After an error no trial starts; running trials finish,
// because they are paid for. Their events are still handled, as are up to maxNotRunEvents trials that did not start.
type Sink interface {
	Handle(e result.Event) error
}

// maxBatch is how many finished trials may wait for the journal when few run at once. It limits memory, and one sync
// covers all of them.
const maxBatch = 64

// eventsPerTrial is how many other events of a trial may wait.
const eventsPerTrial = 16

// maxNotRunEvents is how many trials that did not start get an event. The others are only counted, so that a stopped
// run ends at once.
const maxNotRunEvents = 10_000

// Run executes the plan, at most opts.Jobs trials concurrently. Every trial that starts ends in one TrialDone; of those
// that a cancelled ctx keeps from starting, the first maxNotRunEvents do. A finished trial is in the journal and synced
// before the sink receives it. It returns the first error of the journal or the sink. When the journal switches to its
// fallback, no further trial starts, and running ones finish.
func Run(ctx context.Context, plan *Plan, opts Options, journal *result.Journal, sink Sink) error {
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	starting, halt := context.WithCancelCause(ctx)
	defer halt(nil)
	plan.expectTools(opts.Kept)
	defer closeTools(plan.kits())
	size := max(maxBatch, 2*min(opts.Jobs, plan.Len())) // each may have started and ended a trial, and must not block
	if opts.Events {
		size *= eventsPerTrial
	}
	events := make(chan result.Event, size)
	if plan.http != nil {
		defer plan.http.CloseIdleConnections()
	}
	c := consumer{
		tracker: plan.tracker, journal: journal, sink: sink, abort: abort, halt: halt, batch: make([]result.Event, 0, size),
	}
	var consuming sync.WaitGroup
	consuming.Go(func() {
		for e := range events { // until the channel is closed: no worker may block
			c.consume(e, events)
		}
	})
	// The caller's stack has grown already, and trials need a deep one: this makes short runs faster.
	money := newBudget(plan, &opts)
	w := &worker{
		opts: &opts, events: events, abort: abort, halt: halt,
		fingerprints: NewFingerprints(&opts), journal: journal, budget: money,
	}
	runTrials(ctx, starting, plan, w)
	close(events)
	consuming.Wait()
	if opts.Overspent != nil && money.isOver() {
		opts.Overspent(money.spent(), money.simulated())
	}
	if unkept := w.unkept.Load(); c.err == nil && unkept != nil {
		return *unkept
	}
	return c.err
}

// worker is the common state of all workers.
type worker struct {
	opts         *Options
	events       chan<- result.Event
	abort        context.CancelCauseFunc // ends the trials that run as well
	halt         context.CancelCauseFunc // stops the start of further trials; running ones end by themselves
	fingerprints *Fingerprints
	journal      *result.Journal
	failures     atomic.Int64 // failed or broken trials
	budget       *budget      // nil: no limit
	unkept       atomic.Pointer[error]
}

// runTrials starts the trials in the order of the plan, until starting is done. The calling goroutine is one of the
// workers.
func runTrials(ctx, starting context.Context, plan *Plan, w *worker) {
	var notRun atomic.Int64
	total := plan.Len()
	trials := newQueue(plan, w.opts)
	var held *holding
	if w.opts.FreeScenarios {
		held = newHolding(plan)
	}
	work := func() {
		for next, ok := trials.next(); ok; next, ok = trials.next() {
			t := plan.Trial(next.index)
			if next.of == nil && w.opts.Kept != nil && w.opts.Kept(next.index) {
				held.over(&t)
				continue
			}
			if w.opts.Unjudged != nil {
				t = t.again(w.opts.Unjudged(next.index))
			}
			grant, err := w.admit(starting, plan, &t, next.spent)
			if err != nil && notRun.Add(1) > maxNotRunEvents {
				trials.stop()
				return
			}
			done := w.run(ctx, t, err)
			w.budget.settle(grant, done.Trial)
			ended, as := trials.done(next.of, done.Trial)
			if ended && as != result.Passed && as != result.Undecided && w.decides(&t) {
				w.failed()
			}
			held.over(&t)
			w.events <- done
		}
	}
	var others sync.WaitGroup
	for range min(w.opts.Jobs, total) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}

// admit returns why a trial may not start, or the money that is reserved for it. spent: no further trial may run.
func (c *worker) admit(starting context.Context, plan *Plan, t *Trial, spent bool) (grant, error) {
	if spent && starting.Err() == nil {
		return grant{}, trialsError{c.opts.MaxTrials}
	}
	return c.budget.admit(starting, plan, t)
}

// run runs one trial, unless notRun says why it must not start. The failure that exceeds the limit stops the run before
// the trial is written.
func (c *worker) run(ctx context.Context, planned Trial, notRun error) result.TrialDone {
	room := lineRooms.Get().(*bytes.Buffer) //nolint:forcetypeassert // it holds nothing else
	defer func() {
		if room.Cap() <= maxLineRoom {
			lineRooms.Put(room)
		}
	}()
	s := newSession(planned, c.opts, c.listener(c.events))
	out, line := c.perform(ctx, s, notRun, c.events, room)
	done := result.TrialDone{At: s.emit.at(), Trial: out}
	// The line is written before the worker starts another trial: a kill loses only running trials.
	if err := c.journal.Write(out, line); err != nil { // stop paying for trials that cannot be kept
		c.abort(fmt.Errorf("%w: %w", errStopped, err))
		done.Line = bytes.Clone(line)
	} else if moved := c.journal.Moved(); moved != nil {
		c.abortOnce(moved)
	}
	return done
}

// maxLineRoom is the largest buffer of a line that is used again, in bytes.
const maxLineRoom = 1 << 20

// lineRooms is a pool of buffers for lines.
var lineRooms = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// perform is run without writing. The start goes to events. The line may be in room.
func (c *worker) perform(
	ctx context.Context, s *session, notRun error, events chan<- result.Event, room *bytes.Buffer,
) (*result.Trial, []byte) {
	t := s.trial
	s.out.Fingerprint = c.fingerprints.Of(t)
	s.out.Asked, s.out.Repeatable = c.fingerprints.Asked(t), t.repeatable()
	if t.Finished != nil && !t.Finished.isUnjudgedOnly() {
		s.out.Judging = s.out.Fingerprint
	}
	if c.opts.Earlier != nil {
		s.out.Earlier = c.opts.Earlier(t.Index)
	}
	s.out.Worker = cmp.Or(c.opts.Worker, s.out.Worker)
	switch {
	case notRun != nil:
		s.out.Status, s.out.Skip = result.Cancelled, "not run: "+notRunReason(notRun)
		s.out.OverBudget = isOverBudget(notRun)
		if tooDear, ok := errors.AsType[costError](notRun); ok {
			s.out.MayCostUSD = tooDear.needs
		}
		s.out.Settle()
	case t.shared().IsFreed():
		s.out.Error = errFreed.Error()
		s.out.Settle()
	case c.opts.Remote != nil:
		s.out = c.runRemote(ctx, s, events)
	default:
		events <- s.emit.trialStarted(t)
		s.run(ctx)
	}
	if s.recordError != nil {
		c.halt(fmt.Errorf("%w: %w", errStopped, s.recordError))
	}
	if t.Finished.isUnjudgedOnly() {
		s.keepUnjudged()
	}
	_ = t.Project.tools.Done(t.Scenario.ID) // the trial is over, and its verdict is final
	s.emit.flush()
	out := s.redacted()
	out.ClampNumbers()
	if t.gate == nil && failed(out) && c.decides(t) { // a group that may end early fails as a whole
		c.failed()
	}
	unkept := c.keepMedia(out)
	out, line := c.encoded(out, t, room)
	if unkept != nil {
		c.abortOnce(unkept)
	}
	return out, line
}

// keepMedia keeps the media of a trial beside the results.
func (c *worker) keepMedia(out *result.Trial) (err error) {
	if c.opts.KeepMedia == nil {
		return nil
	}
	out.MapMedia(func(part *chat.Part) *chat.Media {
		got, failed := c.opts.KeepMedia(part.Media)
		if failed != nil {
			err = cmp.Or(err, failed)
			return part.Media
		}
		return got
	})
	return err
}

// abortOnce ends the run with its first error.
func (c *worker) abortOnce(err error) {
	c.halt(fmt.Errorf("%w: %w", errStopped, err))
	c.unkept.CompareAndSwap(nil, &err)
}

// failed counts a failure, and stops the run when the limit is exceeded.
func (c *worker) failed() {
	if n := c.opts.MaxFailures; n > 0 && c.failures.Add(1) == int64(n) {
		c.abort(tooManyFailures(n))
	}
}

// encoded is the line of a trial without secrets, and the trial as in the line. A trial whose line is invalid or
// unreadable becomes an error without content. The line may be in room.
func (c *worker) encoded(out *result.Trial, t *Trial, room *bytes.Buffer) (*result.Trial, []byte) {
	bare := func(why string) (*result.Trial, []byte) {
		lost := newResult(t)
		lost.Fingerprint, lost.Asked, lost.Repeatable, lost.Error = out.Fingerprint, out.Asked, out.Repeatable, why
		lost.Settle()
		line, _ := result.EncodeLine(lost) // nothing in it but text
		return lost, line
	}
	line, err := result.EncodeLineIn(room, out)
	if err != nil {
		return bare(err.Error())
	}
	clean, cleanLine, err := c.scrubbed(out, line)
	if err != nil {
		return bare("the result cannot be kept without the secrets in it: " + err.Error())
	}
	if err := result.Readable(cleanLine, clean != out); err != nil {
		return bare("the result cannot be kept: it " + err.Error())
	}
	return clean, cleanLine
}

// scrubbed returns a trial without secrets.
func (c *worker) scrubbed(out *result.Trial, line []byte) (*result.Trial, []byte, error) {
	if c.opts.Scrub == nil {
		return out, line, nil
	}
	clean := c.opts.Scrub(line)
	if bytes.Equal(clean, line) {
		return out, line, nil
	}
	trial, err := result.DecodeLine(clean)
	return trial, clean, err
}

// listener is the channel for all events of trials; nil when there is no listener.
func (c *worker) listener(events chan<- result.Event) chan<- result.Event {
	if c.opts.Events {
		return events
	}
	return nil
}

func notRunReason(cause error) string {
	if errors.Is(cause, context.Canceled) {
		return errStopped.Error()
	}
	return cause.Error()
}

// consumer handles events in one goroutine: the journal first, then the sink.
type consumer struct {
	journal       *result.Journal
	sink          Sink
	abort, halt   context.CancelCauseFunc // as a worker has them
	tracker       *claims.Tracker
	batch         []result.Event // reused buffer
	journalFailed bool           // no event is handled after that
	err           error          // the first one
}

// consume handles an event together with those that wait behind it.
func (p *consumer) consume(first result.Event, more <-chan result.Event) {
	events := append(p.batch[:0], first)
	for len(events) < cap(events) {
		select {
		case e, open := <-more:
			if !open {
				p.flush(events)
				return
			}
			events = append(events, e)
			continue
		default:
		}
		break
	}
	p.flush(events)
	clear(events) // frees the handled events
}

func (p *consumer) flush(events []result.Event) {
	if p.journalFailed {
		return
	}
	var done []result.TrialDone
	for _, e := range events {
		if d, ok := e.(result.TrialDone); ok {
			done = append(done, d)
			p.tracker.Observe(d.Trial)
		}
	}
	if len(done) > 0 {
		if p.journalFailed = p.check(p.journal.Append(done), p.abort); p.journalFailed {
			return
		}
		p.check(p.journal.Moved(), p.halt)
	}
	for _, e := range events {
		p.check(p.sink.Handle(e), p.halt)
	}
}

func failed(t *result.Trial) bool { return t.Status == result.Failed || t.Status == result.Errored }

// check stores the first error, and ends what cannot continue.
func (p *consumer) check(err error, end context.CancelCauseFunc) bool {
	if err != nil {
		p.err = cmp.Or(p.err, err)
		end(fmt.Errorf("%w: %w", errStopped, err))
	}
	return err != nil
}

// Stop is the cause for cancelling the context of Run at an interrupt.
func Stop() error { return errStopped }

// StopFor is Stop with a reason, for workers.
func StopFor(reason string) error {
	if reason == "" || reason == errStopped.Error() {
		return errStopped
	}
	return stoppedFor(reason)
}

type stoppedFor string

func (s stoppedFor) Error() string { return string(s) }

func (stoppedFor) Is(target error) bool { return target == errStopped }

// StopReason is the reason in a cause, for StopFor.
func StopReason(cause error) string { return notRunReason(cause) }
