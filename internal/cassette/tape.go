package cassette

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Tape is the cassette of one trial while the trial runs: it records, or it plays. It is safe for concurrent use.
type Tape struct {
	deck      *Deck
	id        string
	simulated bool             // the provider answers without the world, and says itself how long it took
	now       func() time.Time // stands still for a simulated one
	pen       pen
	base      pen       // takes out what was known when the trial began
	plain     pen       // takes out no secrets: those of this machine need not be those of the recording's
	shown     *redactor // of a replay: takes out of what is written what the cassette does not hold
	fields    []string  // whose values nothing that is written holds
	plays     bool
	leftOut   map[string]bool
	again     func() string // the command that records the trial again
	stop      context.CancelCauseFunc
	source    string // who answers model calls
	spare     bool   // what the older cassette holds beyond the trial stays

	mu      sync.Mutex
	lanes   int
	entries []*entry
	older   []*entry        // of an older cassette: all that is whole
	missed  *missError      // the first in the order of the trial
	failed  error           // the cassette cannot hold what happened
	secrets []string        // known when the trial began
	learned []string        // values of fields that were taken out
	named   map[string]bool // tools that were offered
}

// entry is one exchange.
type entry struct {
	asked
	at      string
	place   place
	reply   any   // nil: none came
	came    reply // writes the reply once more, without what the file must not hold; nil: the reply may stay as it is
	failure *failure
	cause   error   // the error itself, where the time of the trial is over
	latency float64 // ms
	used    bool    // played
	again   bool    // taken from an older cassette of the trial, and not paid for now
}

// err is the error of the exchange; nil when it has none.
func (e *entry) err() error {
	switch {
	case e.failure == nil:
		return nil
	case e.cause != nil:
		return e.cause
	}
	return e.failure.err()
}

// place orders the exchanges of a trial the same way in every run.
type place struct{ lane, group, vote, seq int }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.lane, q.lane), cmp.Compare(p.group, q.group), cmp.Compare(p.vote, q.vote),
		cmp.Compare(p.seq, q.seq))
}

// Ends gives the tape the means to end the trial where the recorded one ran out of time.
func (t *Tape) Ends(stop context.CancelCauseFunc) {
	if t != nil {
		t.stop = stop
	}
}

// Plays reports whether the trial is answered from a recording.
func (t *Tape) Plays() bool { return t != nil && t.plays }

// LeftOut are the fields, in lower case, of which the recording that is played does not hold the values.
func (t *Tape) LeftOut() map[string]bool {
	if t == nil {
		return nil
	}
	return t.leftOut
}

func (t *Tape) playing() bool { return t.plays }

// Err is why the trial cannot count: it asked for what was not recorded, or did what cannot be recorded.
func (t *Tape) Err() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.missed != nil {
		return t.missed
	}
	return t.failed
}

// broke notes what keeps the cassette from holding the trial.
func (t *Tape) broke(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = fmt.Errorf("cassette: %w", err)
	}
	return t.failed
}

// wait lets recorded time pass, where that is wanted.
func (t *Tape) wait(ctx context.Context, ms float64) error {
	if t.deck.Sleep == nil || ms <= 0 {
		return nil
	}
	return t.deck.Sleep(ctx, time.Duration(ms*float64(time.Millisecond)))
}

// missError is a request to which the recording has no answer.
type missError struct {
	place place
	text  string
}

func (e *missError) Error() string { return e.text }

// IsMiss reports whether an error says that a recording has no answer.
func IsMiss(err error) bool {
	_, ok := errors.AsType[*missError](err)
	return ok
}

// miss notes that something is not in the recording. The trial cannot count from then on, whatever becomes of the error
// that is returned.
func (l *Lane) miss(at place, text string) error {
	t := l.tape
	err := &missError{at, fmt.Sprintf("the cassette %s has no answer to this: %s\nto record the trial again: %s",
		t.deck.shown(t.id), text, t.again())}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.missed == nil || err.place.compare(t.missed.place) < 0 {
		t.missed = err
	}
	return err
}
