package cassette

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"time"
)

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
	return &Lane{tape: t, at: spotless(t.pen, at), no: t.lanes}
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
	// other says who answered, where that was somebody else than who would be asked now; nil: nobody minds.
	other func(reply any) string
	// source is who answers, where an older cassette may have the answer; "": none has.
	source string
	// write puts the request, and the tools that it offers, in the words of a cassette.
	write func(p pen) (request any, tools []tool, err error)
	// live puts the question to the world. took is in milliseconds, or measured. The reply is a nil reply where none
	// came.
	live func() (r reply, took float64, err error)
}

// reply puts what came in the words of a cassette.
type reply func(p pen) (any, error)

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
	a := &asked{kind: q.kind, request: spotless(p, request), tools: spotless(p, tools)}
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
	a, err := q.in(t.base)
	if err != nil {
		return nil, t.broke(err)
	}
	t.offers(a.tools)
	if e := t.keep(a, l, at, q); e != nil {
		return e, nil
	}
	began := t.now()
	came, took, err := q.live()
	if took == measured {
		took = float64(t.now().Sub(began).Round(time.Microsecond)) / float64(time.Millisecond)
	}
	e := &entry{asked: *a, at: l.at, place: at, latency: max(took, 0)}
	if err != nil {
		p := t.writer()
		if e.failure = spotless(p, p.failureOf(ctx, err)); e.failure.Ended {
			e.cause = err
		}
	}
	if came != nil {
		if err := t.hear(e, came); err != nil {
			return nil, t.broke(err)
		}
	}
	l.book(e.latency)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, e)
	return e, nil
}

// hear takes in what came: the trial goes on with it as it is, read back from the form that a cassette gives it; the
// file gets it without what no cassette may hold, which is known when the trial is over.
func (t *Tape) hear(e *entry, came reply) error {
	redacts := t.base.redactor != nil
	seen, err := came(pen{deck: t.deck, inline: redacts})
	if err != nil {
		return err
	}
	if e.reply, err = reread(e.kind, seen); err != nil || !redacts {
		return err
	}
	e.came = came
	t.learn(seen)
	return nil
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
	pens := []pen{t.plain, t.pen}
	for _, p := range pens {
		var err error
		if a, err = q.in(p); err != nil {
			return nil, t.broke(err)
		}
		t.offers(a.tools)
		if found = t.take(a, l.at, q.other); found != nil {
			break
		}
	}
	for i := 0; found == nil && i < len(pens); i++ {
		if b, err := q.in(pens[i]); err == nil {
			found = t.takeBlind(b, l.at, q.other)
		}
	}
	if found != nil && len(t.fields) > 0 {
		t.learn(found.reply)
	}
	if found == nil {
		if who := t.answeredBy(a, q.other); who != "" {
			return nil, l.miss(at, fmt.Sprintf("%s: %s was answered by %s", l.at, subjectOf(a), who))
		}
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

// answeredBy says who else answered the same; "" when nobody did.
func (t *Tape) answeredBy(a *asked, other func(reply any) string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.entries {
		if e.key == a.key && other != nil {
			return other(e.reply)
		}
	}
	return ""
}

// take is the first exchange of that key that was not played yet; of several the one that stands at the same place.
// What somebody else answered does not count.
func (t *Tape) take(a *asked, at string, other func(reply any) string) (found *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.entries {
		if e.used || e.key != a.key || other != nil && other(e.reply) != "" {
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
