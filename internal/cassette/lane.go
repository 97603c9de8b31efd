package cassette

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Lane is a part of a trial that makes one exchange after another. The trial's goroutine opens lanes, and its order of
// opening also orders the exchanges of concurrent lanes. A nil recorder returns a nil lane.
type Lane struct {
	recorder *Recorder
	at       string
	no       int
	source   string // see From

	mu     sync.Mutex
	seq    int
	groups []string
	spent  float64 // ms
}

// Lane opens the next lane of the trial. at is its place, for people.
func (rec *Recorder) Lane(at string) *Lane {
	if rec == nil {
		return nil
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.lanes++
	return &Lane{recorder: rec, at: withoutSecrets(rec.encoder, at), no: rec.lanes, source: rec.source}
}

// From sets the model that answers in the lane, if it differs from the trial's model; see SetSource.
func (l *Lane) From(source string) *Lane {
	l.source = source
	return l
}

// Order numbers the lanes of one of several concurrent parts of a trial, so that the numbers are the same in every run.
// Only the part's goroutine may use it. A nil recorder returns nil orders.
type Order struct {
	recorder *Recorder
	next     int
}

// orderSize is the maximum number of lanes of an order. With more, they would mix with the lanes of the next order.
const orderSize = 1 << 24

// Orders returns the orders of n concurrent parts. Lanes that the trial opens later come after all of theirs.
func (rec *Recorder) Orders(n int) []*Order {
	orders := make([]*Order, n)
	if rec == nil {
		return orders
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for i := range orders {
		orders[i] = &Order{rec, rec.lanes}
		rec.lanes += orderSize
	}
	return orders
}

// Lane opens the next lane of the part. at is its place, for people.
func (o *Order) Lane(at string) *Lane {
	o.next++
	return &Lane{
		recorder: o.recorder, at: withoutSecrets(o.recorder.encoder, at), no: o.next, source: o.recorder.source,
	}
}

// Spent is the sum of the durations of the exchanges.
func (l *Lane) Spent() time.Duration {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Duration(l.spent * float64(time.Millisecond))
}

// question is a request that is about to be sent.
type question struct {
	kind  string
	group string // equal for the votes on one question; "": no vote
	vote  int
	// otherModel describes the model of a recorded reply when a different model would be called now, else returns "".
	// nil: any reply fits.
	otherModel func(reply any) string
	// source identifies the model, for reuse of older replies; "": none is reused.
	source string
	// encode returns the request in the form of a cassette, and the tools it offers.
	encode func(p encoder) (request any, tools []tool, err error)
	// send sends the request. took is in milliseconds, or measureTime. r is nil when there is no reply.
	send func() (r replyEncoder, took float64, err error)
}

// replyEncoder returns a reply in the form of a cassette.
type replyEncoder func(p encoder) (any, error)

// measureTime asks the recorder to measure the duration.
const measureTime = -1.0

// asked is a request in the form of a cassette. Equal requests have equal keys.
type asked struct {
	kind    string
	request any
	tools   []tool
	key     [sha256.Size]byte
}

func (q *question) encoded(enc encoder) (*asked, error) {
	request, tools, err := q.encode(enc)
	if err != nil {
		return nil, err
	}
	a := &asked{kind: q.kind, request: withoutSecrets(enc, request), tools: withoutSecrets(enc, tools)}
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

// exchange replays the answer to a question, or sends it and records the answer. The entry may hold an error.
func (l *Lane) exchange(ctx context.Context, q *question) (*entry, error) {
	rec := l.recorder
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	at := l.nextPosition(q)
	if rec.plays {
		return l.replay(ctx, q, at)
	}
	a, err := q.encoded(rec.startEncoder)
	if err != nil {
		return nil, rec.fail(err)
	}
	rec.rememberTools(a.tools)
	if e := rec.reuse(a, l, at, q); e != nil {
		return e, nil
	}
	began := rec.now()
	encodeReply, took, err := q.send()
	if took == measureTime {
		took = float64(rec.now().Sub(began).Round(time.Microsecond)) / float64(time.Millisecond)
	}
	e := &entry{asked: *a, at: l.at, position: at, latency: max(took, 0)}
	if err != nil {
		rec.learnFailed(err)
		p := rec.currentEncoder()
		if e.failure = withoutSecrets(p, p.failureOf(ctx, err)); e.failure.Ended {
			e.cause = err
		}
	}
	if encodeReply != nil {
		if err := rec.receive(e, encodeReply); err != nil {
			return nil, rec.fail(err)
		}
	}
	l.addTime(e.latency)
	rec.savePart(e)
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.entries = append(rec.entries, e)
	return e, nil
}

// receive decodes the recorded form of a reply, with which the trial goes on. Secrets are removed from the file later,
// when all of them are known.
func (rec *Recorder) receive(e *entry, encodeReply replyEncoder) error {
	redacts := rec.startEncoder.redactor != nil
	seen, err := encodeReply(encoder{folder: rec.folder, inline: redacts})
	if err != nil {
		return err
	}
	if e.reply, err = roundTrip(e.kind, seen); err != nil || !redacts {
		return err
	}
	e.encodeReply = encodeReply
	rec.learn(seen)
	return nil
}

// nextPosition is the position of a question in the trial. Votes are concurrent, and ordered by their number.
func (l *Lane) nextPosition(q *question) position {
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
	return position{l.no, group, q.vote, l.seq}
}

func (l *Lane) addTime(ms float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spent += ms
}

// roundTrip encodes a reply and decodes it again.
func roundTrip(kind string, reply any) (any, error) {
	data, err := compact(reply)
	if err != nil {
		return nil, fmt.Errorf("the reply cannot be recorded: %w", err)
	}
	_, same := shapes(kind)
	return same, decode(data, same)
}

// replay returns the recorded exchange with an equal request.
func (l *Lane) replay(ctx context.Context, q *question, at position) (*entry, error) {
	rec := l.recorder
	var found *entry
	var a *asked
	encoders := []encoder{rec.plainEncoder, rec.encoder}
	for _, p := range encoders {
		var err error
		if a, err = q.encoded(p); err != nil {
			return nil, rec.fail(err)
		}
		rec.rememberTools(a.tools)
		if found = rec.claim(a, l.at, q.otherModel); found != nil {
			break
		}
	}
	for i := 0; found == nil && i < len(encoders); i++ {
		if b, err := q.encoded(encoders[i]); err == nil {
			found = rec.claimRedacted(b, l.at, q.otherModel)
		}
	}
	if found != nil && len(rec.redactFields) > 0 {
		rec.learn(found.reply)
	}
	if found == nil {
		if who := rec.otherModel(a, q.otherModel); who != "" {
			return nil, l.miss(at, fmt.Sprintf("%s: %s was answered by %s", l.at, subjectOf(a), who))
		}
		return nil, l.miss(at, rec.nearest(a, l.at))
	}
	rec.paidBefore(found)
	l.addTime(found.latency)
	if q.kind != kindModel {
		if err := rec.wait(ctx, found.latency); err != nil {
			return nil, err
		}
	}
	if found.failure != nil && found.failure.Ended && rec.stop != nil {
		rec.stop(found.failure.cause())
	}
	played := *found
	played.position = at
	return &played, nil
}

// paidBefore marks the answer of an exchange as free in a run that records other trials. A run that only replays
// reports the costs of the recording.
func (rec *Recorder) paidBefore(e *entry) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	e.reused = rec.folder.Fill
}

// otherModel describes a different model that answered an equal request; "": there is none.
func (rec *Recorder) otherModel(a *asked, other func(reply any) string) string {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, e := range rec.entries {
		if e.key == a.key && other != nil {
			return other(e.reply)
		}
	}
	return ""
}

// claim returns an exchange with this key that was not played yet, preferably at the same place, and marks it as
// played. Answers of other models do not count.
func (rec *Recorder) claim(a *asked, at string, other func(reply any) string) (found *entry) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, e := range rec.entries {
		if e.played || e.key != a.key || other != nil && other(e.reply) != "" {
			continue
		}
		if found == nil || found.at != at && e.at == at {
			found = e
		}
	}
	if found != nil {
		found.played = true
	}
	return found
}
