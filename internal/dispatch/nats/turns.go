package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
)

// Limits are the limits of calls that all workers of a run share. They are safe for concurrent use.
type Limits struct {
	trials *Trials
	run    string
	stop   func()

	ctx     context.Context // of what is done for slots; it ends with Close
	keeping sync.WaitGroup  // who does that

	mu    sync.Mutex
	turns map[string]*Turns // by the token of the provider
	slots map[string]*Slots // the same
}

// Turns limit the calls of a provider over all workers of a run: to a number in a second, and to none while its server
// has asked to wait. The broker stores the time of the next call, by its own clock: the clocks of workers do not count.
type Turns struct {
	of    *Limits
	name  string // token of the provider
	every time.Duration
	burst int
	clock *brokerClock
	first sync.Once // finds out whether there is a pause already

	mu        sync.Mutex
	waiting   []chan turn // callers that have no turn yet
	reserving bool        // a goroutine reserves turns for them
	paused    time.Time   // no call before this time
}

// turn is when a call may be made.
type turn struct {
	at  time.Time
	err error
}

// pause is the message that the server of a provider has asked to wait.
type pause struct {
	Provider string `json:"provider"` // its token
	Millis   int64  `json:"ms"`
}

// longestPause is the longest that a message has workers wait.
const longestPause = 10 * time.Minute

func (n *Names) limits() string              { return n.Stream + "_LIMITS" }
func (n *Names) allLimits() string           { return n.prefix + ".limits.>" }
func (n *Names) limitsOf(run string) string  { return n.prefix + ".limits." + run + ".>" }
func (n *Names) limit(run, of string) string { return n.prefix + ".limits." + run + "." + of }
func (n *Names) pausesOf(run string) string  { return n.prefix + ".pauses." + run }

// Limits returns the limits of a run. Close releases them.
func (t *Trials) Limits(run string) (*Limits, error) {
	l := &Limits{trials: t, run: run, turns: map[string]*Turns{}, slots: map[string]*Slots{}}
	pauses, err := t.conn.Subscribe(t.pausesOf(run), func(m *natsgo.Msg) { l.receive(m.Data) })
	if err != nil {
		return nil, t.explain(err)
	}
	freed, err := t.conn.Subscribe(t.slotsOf(run), func(m *natsgo.Msg) { l.freed(string(m.Data)) })
	if err != nil {
		_ = pauses.Unsubscribe()
		return nil, t.explain(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.ctx, l.stop = ctx, func() {
		cancel()
		_, _ = pauses.Unsubscribe(), freed.Unsubscribe() // the connection may be closed
	}
	return l, nil
}

// Close stops listening for pauses, and returns slots. After it no call may wait for a slot or hold one.
func (l *Limits) Close() {
	let := make(chan struct{})
	go func() {
		l.keeping.Wait()
		close(let)
	}()
	late := time.NewTimer(askTimeout)
	defer late.Stop()
	select {
	case <-let:
	case <-late.C: // the broker is away; others get the slots in a while
	}
	l.stop()
	<-let
}

// Of are the turns of a provider: rps calls a second, 0 for as many as come, after as many as burst at once.
func (l *Limits) Of(provider string, rps float64, burst int) *Turns {
	name := dispatch.Token(provider)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.turns[name] == nil {
		t := &Turns{of: l, name: name, burst: max(burst, 1), clock: &brokerClock{}}
		if rps > 0 {
			t.every = time.Duration(float64(time.Second) / rps)
		}
		l.turns[name] = t
	}
	return l.turns[name]
}

func (l *Limits) receive(data []byte) {
	var p pause
	if json.Unmarshal(data, &p) != nil || p.Millis <= 0 {
		return
	}
	l.mu.Lock()
	t := l.turns[p.Provider]
	l.mu.Unlock()
	if t != nil {
		t.rest(time.Duration(min(p.Millis, longestPause.Milliseconds())) * time.Millisecond)
	}
}

// Pause has the calls of all workers wait.
func (t *Turns) Pause(d time.Duration) {
	t.rest(d)
	data, err := json.Marshal(pause{t.name, d.Milliseconds()})
	if err != nil {
		return
	}
	trials := t.of.trials
	_ = trials.conn.Publish(trials.pausesOf(t.of.run), data) // the server asks workers that miss it to wait, too
	go func() {                                              // for those who come later
		ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
		defer cancel()
		_, _ = trials.storeRaw(ctx, &natsgo.Msg{Subject: t.pauseSubject(), Data: data},
			jetstream.WithExpectStream(trials.limits()))
	}()
}

func (t *Turns) pauseSubject() string { return t.of.trials.limit(t.of.run, "pause-"+t.name) }

// recall finds out whether a server asked to wait before this worker started. It is left open when the broker does not
// answer in time.
func (t *Turns) recall(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	trials := t.of.trials
	last, err := trials.lastOn(ctx, trials.limits(), t.pauseSubject())
	var p pause
	if err != nil || last == nil || json.Unmarshal(last.Data, &p) != nil {
		return
	}
	now, err := (&brokerClock{}).now(ctx, t.of)
	if err != nil {
		return
	}
	whole := time.Duration(min(max(p.Millis, 0), longestPause.Milliseconds())) * time.Millisecond
	if left := whole - max(now.Sub(last.Time), 0); left > 0 {
		t.rest(left)
	}
}

func (t *Turns) rest(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if until := time.Now().Add(d); until.After(t.paused) {
		t.paused = until
	}
}

// Wait waits for the turn of a call. It returns context.DeadlineExceeded at once if the turn is after ctx's deadline.
func (t *Turns) Wait(ctx context.Context) error {
	t.first.Do(func() { t.recall(ctx) })
	for {
		if err := until(ctx, t.pausedUntil()); err != nil {
			return err
		}
		if t.every == 0 {
			return nil
		}
		at, err := t.reserve(ctx)
		if err == nil {
			err = until(ctx, at)
		}
		if err != nil {
			return err
		}
		if !t.pausedUntil().After(time.Now()) {
			return nil
		}
	}
}

func (t *Turns) pausedUntil() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.paused
}

// until waits until a time, unless ctx ends before.
func until(ctx context.Context, at time.Time) error {
	left := time.Until(at)
	if left <= 0 {
		return context.Cause(ctx)
	}
	if deadline, has := ctx.Deadline(); has && deadline.Before(at) && ctx.Err() == nil {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// reserve gets a turn. All callers that wait in this process share one request to the broker.
func (t *Turns) reserve(ctx context.Context) (time.Time, error) {
	mine := make(chan turn, 1)
	t.mu.Lock()
	t.waiting = append(t.waiting, mine)
	lead := !t.reserving
	t.reserving = true
	t.mu.Unlock()
	if lead {
		go t.lead(context.WithoutCancel(ctx))
	}
	select {
	case got := <-mine:
		return got.at, got.err
	case <-ctx.Done():
		return time.Time{}, context.Cause(ctx)
	}
}

func (t *Turns) lead(ctx context.Context) {
	for {
		t.mu.Lock()
		list := t.waiting
		t.waiting = nil
		t.reserving = len(list) > 0
		t.mu.Unlock()
		if len(list) == 0 {
			return
		}
		first, err := t.take(ctx, len(list))
		for i, waits := range list {
			waits <- turn{first.Add(time.Duration(i) * t.every), err}
		}
	}
}

// turnState is the state of a provider's turns, as the broker stores it.
type turnState struct {
	Next time.Time `json:"next"` // the next free turn, without a burst
}

// take takes so many turns, and returns the first of them.
func (t *Turns) take(ctx context.Context, n int) (first time.Time, err error) {
	trials, subject := t.of.trials, t.of.trials.limit(t.of.run, t.name)
	for {
		now, err := t.clock.now(ctx, t.of)
		if err != nil {
			return time.Time{}, err
		}
		last, err := trials.lastOn(ctx, trials.limits(), subject)
		if err != nil {
			return time.Time{}, err
		}
		free := now
		seq := uint64(0)
		if last != nil {
			var state turnState
			seq = last.Sequence
			if json.Unmarshal(last.Data, &state) == nil {
				free = nextFree(state.Next, last.Time, now)
			}
		}
		data, err := json.Marshal(turnState{free.Add(time.Duration(n) * t.every)})
		if err != nil {
			return time.Time{}, err
		}
		beaten, err := trials.storeRaw(ctx, &natsgo.Msg{Subject: subject, Data: data},
			jetstream.WithExpectStream(trials.limits()), jetstream.WithExpectLastSequencePerSubject(seq))
		if err != nil {
			return time.Time{}, err
		}
		if !beaten {
			return t.clock.here(free.Add(-time.Duration(t.burst-1) * t.every)), nil
		}
	}
}

// nextFree is the first free turn, by the stored state and its time. After the broker's clock was set back, or the
// broker has moved to another machine, no call waits for the difference.
func nextFree(next, stored, now time.Time) time.Time {
	const inaccurate = time.Second
	if now.Before(stored.Add(-inaccurate)) {
		next = now.Add(next.Sub(stored))
	}
	if next.Before(now) {
		return now
	}
	return next
}

// brokerClock knows the time of the broker. It belongs to one goroutine at a time.
type brokerClock struct {
	broker time.Time // at the time
	local  time.Time // of this machine, by its monotonic clock
}

// clockHeld is for how long a look at the clock of the broker is good.
const clockHeld = 30 * time.Second

func (c *brokerClock) now(ctx context.Context, l *Limits) (time.Time, error) {
	if c.local.IsZero() || time.Since(c.local) > clockHeld {
		if err := c.look(ctx, l); err != nil {
			return time.Time{}, err
		}
	}
	return c.broker.Add(time.Since(c.local)), nil
}

// here is a time of the broker by the clock of this machine.
func (c *brokerClock) here(at time.Time) time.Time { return c.local.Add(at.Sub(c.broker)) }

// look stores a message and sees when the broker says that it came.
func (c *brokerClock) look(ctx context.Context, l *Limits) error {
	t := l.trials
	subject := t.limit(l.run, "clock-"+dispatch.Token(t.opts.Name, natsgo.NewInbox()))
	began := time.Now()
	_, err := t.storeRaw(ctx, &natsgo.Msg{Subject: subject}, jetstream.WithExpectStream(t.limits()))
	if err != nil {
		return err
	}
	took := time.Since(began)
	m, err := t.lastOn(ctx, t.limits(), subject)
	if err == nil && m == nil {
		err = fmt.Errorf("%s: the broker has lost what it was told the time by", t.address.shown)
	}
	if err != nil {
		return err
	}
	c.local, c.broker = began.Add(took/2), m.Time //nolint:mnd // it came about in the middle
	return nil
}

// lastOn is the last message on a subject; nil: none.
func (t *Trials) lastOn(ctx context.Context, stream, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = t.retry(ctx, func(ctx context.Context) error {
		s, err := t.js.Stream(ctx, stream)
		if err != nil {
			return missingIsTransient(err)
		}
		m, err = s.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			m, err = nil, nil
		}
		return err
	})
	return m, err
}
