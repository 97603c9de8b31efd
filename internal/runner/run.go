package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/result"
)

// Options of a run.
type Options struct {
	Jobs        int // trials at once; at least 1
	FailFast    bool
	OnFailure   string // "", continue or stop; wins over the files
	Strict      bool   // a limit on what was not measured is an error
	Temperature *float64
	MaxTokens   *int
	Seed        *int64
	JudgeGate   *bool // wins over the files
	Now         func() time.Time
	Cassettes   *cassette.Deck // what trials exchange is recorded into it, or taken from it; nil: neither
	// Again is the command that records a trial again.
	Again func(t *result.Trial) string
	// Events says that the sink wants to hear of everything. Otherwise it is told of trials that start and end, and
	// nothing is spent on the rest.
	Events  bool
	Started time.Time // of the run; simulated time is counted from there
	// Scrub takes out of the line of a finished trial what may not be written; nil: nothing. It changes what is kept and
	// shown of the trial, and comes after everything was judged. It is called by the workers.
	Scrub func(line []byte) []byte
	// Crash is told of a panic in a trial; the trial is an error and the run goes on.
	Crash func(trial string, cause any, stack []byte)
	// Kept reports trials, by their index, that are not run: what came of them is known. nil: all are run.
	Kept func(index int) bool
	// Earlier is when a trial failed before, by its index; may be nil.
	Earlier func(index int) []result.Attempt
	Only    []string // ids of the evals that may fire; nil: all
	// Elsewhere runs the evals; nil: this process does. The plan knows of it from its DispatchMode.
	Elsewhere Elsewhere
}

// Sink takes the events of a run, in order, never two at once. An error ends the run: a full disk must not keep
// burning tokens. What finished is still handed over, and so is, up to a number, what the end of the run keeps from
// starting.
type Sink interface {
	Handle(e result.Event) error
}

// batch is how many finished trials may wait for the sync before the workers do. It bounds memory, and it is what
// one sync can cover.
const batch = 64

// eventsPerTrial is how many events of a trial may wait beside its end, when they are told.
const eventsPerTrial = 16

// toldNotRun is of how many trials that never started the sink is told one by one. The others are only counted, as what
// the plan has more than ended: a run that is stopped ends at once, however long it would have been.
const toldNotRun = 10_000

// Run executes the plan with at most Jobs trials at once. Every trial that starts ends in one TrialDone, and so do the
// first ten thousand of those that a cancelled ctx keeps from starting. A finished trial is in the journal and synced
// before the sink hears of it; one sync serves all that finished meanwhile.
func Run(ctx context.Context, plan *Plan, opts Options, journal *result.Journal, sink Sink) error {
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	plan.expectTools(opts.Kept)
	defer closeTools(plan.kits())
	size := batch
	if opts.Events {
		size *= eventsPerTrial
	}
	events := make(chan result.Event, size)
	if plan.http != nil {
		defer plan.http.CloseIdleConnections()
	}
	p := pump{heard: plan.heard, journal: journal, sink: sink, abort: abort, waiting: make([]result.Event, 0, size)}
	var consumer sync.WaitGroup
	consumer.Go(func() {
		for e := range events { // always drains, so that no worker is ever stuck
			p.take(e, events)
		}
	})
	// Trials go deep, and the stack of the caller is large already: for a short run it is the best worker.
	dispatch(ctx, plan, &crew{opts: &opts, events: events, abort: abort, prints: NewFingerprints(&opts), journal: journal})
	close(events)
	consumer.Wait()
	return p.err
}

// crew is what the workers share.
type crew struct {
	opts    *Options
	events  chan<- result.Event
	abort   context.CancelCauseFunc
	prints  *Fingerprints
	journal *result.Journal
}

// dispatch starts the trials in the order of the plan, Jobs at once. It is a worker itself.
func dispatch(ctx context.Context, plan *Plan, c *crew) {
	var next, notRun atomic.Int64
	total := plan.Len()
	work := func() {
		for i := int(next.Add(1)) - 1; i < total; i = int(next.Add(1)) - 1 {
			if c.opts.Kept != nil && c.opts.Kept(i) {
				continue
			}
			if ctx.Err() != nil && notRun.Add(1) > toldNotRun {
				return
			}
			c.events <- c.work(ctx, plan.Trial(i))
		}
	}
	var others sync.WaitGroup
	for range min(c.opts.Jobs, total) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}

// work drives one trial. With --fail-fast it is the worker that stops the run: no trial starts after a failed one, even
// while that is still being written.
func (c *crew) work(ctx context.Context, planned Trial) result.TrialDone {
	s := newSession(planned, c.opts, c.listener())
	t := s.trial
	s.out.Fingerprint = c.prints.Of(t)
	if c.opts.Earlier != nil {
		s.out.Earlier = c.opts.Earlier(t.Index)
	}
	if cause := context.Cause(ctx); cause != nil {
		s.out.Status, s.out.Skip = result.Cancelled, "not run: "+reason(cause)
		s.out.Settle()
	} else {
		c.events <- s.tell.trialStarted(t)
		s.run(ctx)
		if s.full != nil {
			c.abort(fmt.Errorf("%w: %w", errStopped, s.full))
		}
	}
	_ = t.Project.tools.Done(t.Scenario.ID) // the trial is over, and its verdict stands
	s.tell.release()
	out := s.written()
	if c.opts.FailFast && failed(out) {
		c.abort(errFailFast)
	}
	line, err := result.EncodeLine(out)
	if err != nil { // a value that JSON cannot hold must not lose the trial
		out = blank(t)
		out.Fingerprint = s.out.Fingerprint
		out.Error = err.Error()
		out.Settle()
		line, _ = result.EncodeLine(out) // nothing in it but text
	}
	if out, line, err = c.scrubbed(out, line); err != nil {
		out = blank(t)
		out.Fingerprint, out.Error = s.out.Fingerprint, "the result cannot be kept without the secrets in it: "+err.Error()
		out.Settle()
		line, _ = result.EncodeLine(out) // nothing in it but text
	}
	// Before the worker takes another trial: a kill then costs no more than what is in flight.
	if err = c.journal.Write(out, line); err != nil { // what nobody can keep is not paid for
		c.abort(fmt.Errorf("%w: %w", errStopped, err))
	}
	return result.TrialDone{At: s.tell.at(), Trial: out, Line: line, Written: err == nil}
}

// scrubbed is a trial as it may be written.
func (c *crew) scrubbed(out *result.Trial, line []byte) (*result.Trial, []byte, error) {
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

// listener is to whom trials tell everything; nil is nobody.
func (c *crew) listener() chan<- result.Event {
	if c.opts.Events {
		return c.events
	}
	return nil
}

func reason(cause error) string {
	if errors.Is(cause, context.Canceled) {
		return errStopped.Error()
	}
	return cause.Error()
}

// pump is the one consumer: journal first, then the sink.
type pump struct {
	journal *result.Journal
	sink    Sink
	abort   context.CancelCauseFunc
	heard   *hearing
	waiting []result.Event // what is handled together
	lost    bool           // the journal cannot be written, so that nothing is told any more
	err     error          // the first
}

// take handles an event together with all that wait behind it.
func (p *pump) take(first result.Event, more <-chan result.Event) {
	events := append(p.waiting[:0], first)
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
	clear(events) // what was handled is not kept
}

func (p *pump) flush(events []result.Event) {
	if p.lost {
		return
	}
	var done []result.TrialDone
	for _, e := range events {
		if d, ok := e.(result.TrialDone); ok {
			done = append(done, d)
			p.heard.hear(d.Trial)
		}
	}
	if len(done) > 0 {
		if p.lost = p.stop(p.journal.Append(done)); p.lost {
			return
		}
	}
	for _, e := range events {
		p.stop(p.sink.Handle(e))
	}
}

func failed(t *result.Trial) bool { return t.Status == result.Failed || t.Status == result.Errored }

func (p *pump) stop(err error) bool {
	if err != nil && p.err == nil {
		p.err = err
		p.abort(fmt.Errorf("%w: %w", errStopped, err))
	}
	return err != nil
}

// Stop is the cause with which a caller cancels the context of Run when the user interrupts it.
func Stop() error { return errStopped }
