package cassette

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/chat"
)

// Tape is the cassette of one trial while the trial runs: it records, or it plays. It is safe for concurrent use.
type Tape struct {
	deck      *Deck
	id        string
	simulated bool             // the provider answers without the world, and says itself how long it took
	now       func() time.Time // stands still for a simulated one
	pen       pen
	plain     pen // takes out no secrets: those of this machine need not be those of the recording's
	plays     bool
	again     func() string // the command that records the trial again
	stop      context.CancelCauseFunc

	mu      sync.Mutex
	lanes   int
	entries []*entry
	missed  *missError // the first in the order of the trial
	failed  error      // the cassette cannot hold what happened
	real    map[string]chat.ToolCall
}

// entry is one exchange.
type entry struct {
	asked
	at      string
	place   place
	reply   any // nil: none came
	failure *failure
	cause   error   // the error itself, where the time of the trial is over
	latency float64 // ms
	used    bool    // played
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

// Lane is a place of a trial from which one thing after another is asked. Lanes are taken from the goroutine of the
// trial; what happens on them at once has the order in which they were taken. The lane of a nil tape is nil.
type Lane struct {
	tape *Tape
	at   string
	no   int

	mu     sync.Mutex
	seq    int
	groups []string
	spent  float64 // ms
}

// Lane opens the next place of the trial. at says where that is.
func (t *Tape) Lane(at string) *Lane {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lanes++
	return &Lane{tape: t, at: at, no: t.lanes}
}

// Spent is how long the exchanges on the lane took, one after the other.
func (l *Lane) Spent() time.Duration {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Duration(l.spent * float64(time.Millisecond))
}

// question is one request on its way.
type question struct {
	kind  string
	group string // votes on the same thing; "": it stands alone
	vote  int
	// write puts the request, and the tools that it offers, in the words of a cassette.
	write func(p pen) (request any, tools []tool, err error)
	// live puts the question to the world. took is in milliseconds, or measured.
	live func() (reply any, took float64, err error)
}

// measured says that nobody but the tape knows how long an exchange took.
const measured = -1.0

// asked is a question as a cassette holds it. Equal ones have equal keys.
type asked struct {
	kind    string
	request any
	tools   []tool
	key     [sha256.Size]byte
}

func (q *question) in(p pen) (*asked, error) {
	request, tools, err := q.write(p)
	if err != nil {
		return nil, err
	}
	a := &asked{kind: q.kind, request: request, tools: tools}
	return a, a.sign()
}

func (a *asked) sign() error {
	data, err := compact(struct {
		Kind    string
		Request any
		Tools   []tool
	}{a.kind, a.request, a.tools})
	a.key = sha256.Sum256(data)
	if err != nil {
		return fmt.Errorf("the request cannot be recorded: %w", err)
	}
	return nil
}

// ask answers a question from the recording, or puts it and records what comes. The entry may hold an error.
func (l *Lane) ask(ctx context.Context, q *question) (*entry, error) {
	t := l.tape
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	at := l.place(q)
	if t.plays {
		return l.answer(ctx, q, at)
	}
	a, err := q.in(t.pen)
	if err != nil {
		return nil, t.broke(err)
	}
	began := t.now()
	reply, took, err := q.live()
	if took == measured {
		took = float64(t.now().Sub(began).Round(time.Microsecond)) / float64(time.Millisecond)
	}
	e := &entry{asked: *a, at: l.at, place: at, latency: max(took, 0)}
	if err != nil {
		if e.failure = t.pen.failureOf(ctx, err); e.failure.Ended {
			e.cause = err
		}
	}
	if reply != nil {
		if e.reply, err = reread(q.kind, reply); err != nil {
			return nil, t.broke(err)
		}
	}
	l.book(e.latency)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, e)
	return e, nil
}

// place is where on the lane a question stands. Votes are asked at once, and have their order from their number.
func (l *Lane) place(q *question) place {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	group := -1
	if q.group != "" {
		group = slices.Index(l.groups, q.group)
	}
	if group < 0 {
		group = len(l.groups)
		l.groups = append(l.groups, q.group)
	}
	return place{l.no, group, q.vote, l.seq}
}

func (l *Lane) book(ms float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spent += ms
}

// reread is a reply as its cassette holds it.
func reread(kind string, reply any) (any, error) {
	data, err := compact(reply)
	if err != nil {
		return nil, fmt.Errorf("the reply cannot be recorded: %w", err)
	}
	_, same := shapes(kind)
	return same, decode(data, same)
}

// answer finds the exchange in which the same was asked.
func (l *Lane) answer(ctx context.Context, q *question, at place) (*entry, error) {
	t := l.tape
	var found *entry
	var a *asked
	for _, p := range []pen{t.plain, t.pen} {
		var err error
		if a, err = q.in(p); err != nil {
			return nil, t.broke(err)
		}
		if found = t.take(a, l.at); found != nil || p == t.pen {
			break
		}
	}
	if found == nil {
		return nil, l.miss(at, t.nearest(a, l.at))
	}
	l.book(found.latency)
	if q.kind != kindModel {
		if err := t.wait(ctx, found.latency); err != nil {
			return nil, err
		}
	}
	if found.failure != nil && found.failure.Ended && t.stop != nil {
		t.stop(found.failure.err())
	}
	played := *found
	played.place = at
	return &played, nil
}

// take is the first exchange of that key that was not played yet; of several the one that stands at the same place.
func (t *Tape) take(a *asked, at string) (found *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.entries {
		if e.used || e.key != a.key {
			continue
		}
		if found == nil || found.at != at && e.at == at {
			found = e
		}
	}
	if found != nil {
		found.used = true
	}
	return found
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
