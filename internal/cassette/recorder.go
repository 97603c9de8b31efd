package cassette

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// Recorder records one trial, or replays it. It is safe for concurrent use.
type Recorder struct {
	folder         *Folder
	trial          Trial
	name           string           // the name of the cassette that is written
	simulated      bool             // the provider makes no calls to a server, and returns its own latency
	now            func() time.Time // constant for a simulated provider
	encoder        encoder
	startEncoder   encoder   // removes secrets known at the start
	plainEncoder   encoder   // removes no secrets: the recording's machine may have had other ones
	replayRedactor *redactor // removes redacted values from outputs of a replay
	redactFields   []string  // names of fields whose values are removed
	plays          bool
	redactedFields map[string]bool
	recordAgain    func(all bool) string // how the trial is recorded again
	stop           context.CancelCauseFunc
	source         string    // identifies the model
	checkedBy      string    // see document
	keepOlder      bool      // see KeepOlder
	partial        *partFile // nil: none is written

	mu              sync.Mutex
	lanes           int
	entries         []*entry
	older           []*entry        // exchanges of the older cassette without errors
	firstMiss       *missError      // by position
	err             error           // why the cassette cannot be written
	secrets         []string        // known at the start
	learned         []string        // values of redacted fields
	learnedPrefixes []string        // beginnings of values that were cut
	outputs         *redactor       // nil: not made yet
	toolNames       map[string]bool // of offered tools
}

// entry is one exchange.
type entry struct {
	asked
	at          string
	position    position
	reply       any          // nil: none
	encodeReply replyEncoder // encodes the reply again, without secrets; nil: it has none
	failure     *failure
	cause       error   // the error of the trial's time limit
	latency     float64 // ms
	played      bool    // by a replay
	reused      bool    // from a cassette, in a run that records; it costs nothing now
}

// err is the error of the exchange, or nil.
func (e *entry) err() error {
	switch {
	case e.failure == nil:
		return nil
	case e.cause != nil:
		return e.cause
	case e.reused && e.failure.Usage != nil:
		failed := *e.failure
		failed.CostUSD = new(0.0)
		return failed.err()
	}
	return e.failure.err()
}

// position orders the exchanges of a trial, in the same way in every run.
type position struct{ lane, group, vote, seq int }

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.lane, q.lane), cmp.Compare(p.group, q.group), cmp.Compare(p.vote, q.vote),
		cmp.Compare(p.seq, q.seq))
}

// OnTimeout sets the function that ends the trial at the point where the recorded trial ran out of time.
func (rec *Recorder) OnTimeout(stop context.CancelCauseFunc) {
	if rec != nil {
		rec.stop = stop
	}
}

// Plays reports whether the trial is replayed.
func (rec *Recorder) Plays() bool { return rec != nil && rec.plays }

// CheckedBy are the checkers of the recorded trial, if its cassette has them.
func (rec *Recorder) CheckedBy() string { return rec.checkedBy }

// SetCheckedBy sets the checkers for the cassette that is written.
func (rec *Recorder) SetCheckedBy(checkers string) { rec.checkedBy = checkers }

// RedactedFields are the fields, in lower case, whose values are redacted in the cassette that is replayed.
func (rec *Recorder) RedactedFields() map[string]bool {
	if rec == nil {
		return nil
	}
	return rec.redactedFields
}

func (rec *Recorder) playing() bool { return rec.plays }

// Err returns why the trial is an error: a request was not recorded, or something cannot be recorded.
func (rec *Recorder) Err() error {
	if rec == nil {
		return nil
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.firstMiss != nil {
		return rec.firstMiss
	}
	return rec.err
}

// fail keeps the first error of the cassette.
func (rec *Recorder) fail(err error) error {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.err == nil {
		rec.err = fmt.Errorf("cassette: %w", err)
	}
	return rec.err
}

// wait waits for a recorded delay, if Sleep is set.
func (rec *Recorder) wait(ctx context.Context, ms float64) error {
	if rec.folder.Sleep == nil || ms <= 0 {
		return nil
	}
	return rec.folder.Sleep(ctx, time.Duration(ms*float64(time.Millisecond)))
}

// missError is a request without a recorded answer.
type missError struct {
	position position
	text     string
}

func (e *missError) Error() string { return e.text }

// miss returns the error of a request without a recorded answer. It makes the trial an error.
func (l *Lane) miss(at position, text string) error {
	rec := l.recorder
	err := &missError{at, fmt.Sprintf("the cassette %s has no answer to this: %s\nto record the trial again: %s",
		rec.folder.displayPath(rec.name), text, rec.recordAgain(false))}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.firstMiss == nil || err.position.compare(rec.firstMiss.position) < 0 {
		rec.firstMiss = err
	}
	return err
}
