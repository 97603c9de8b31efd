package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/plural"
)

// Listener follows events on a subject and publishes requests for the evals of the sessions that it sees. Where the
// subject is in a stream, it goes on after a restart where it was, and several listeners do no more than one.
type Listener struct {
	Client      *Client
	Subject     string
	Name        string // of what is remembered between starts
	Accumulator *dispatch.Accumulator
	Worker      string // who gave up, in dead letters
	Now         func() time.Time
	Tell        func(string)

	mu       sync.Mutex
	state    jetstream.KeyValue // nil: nothing is remembered
	before   checkpoint         // where the listener before was
	known    map[string]bool    // sessions that were open then
	seq      uint64             // of the last event
	caughtUp bool
	started  time.Time
	bad      int   // events that cannot be read
	missed   int   // events that came too fast
	failed   error // why the listener cannot go on
	unstored bool  // where the listener is could not be stored the last time, which was told
	torn     bool  // a session was ended whose requests are not stored: the next listener has to end it again
}

// Run listens until ctx ends. Sessions that are open then are taken up by the next listener, or, where nothing is
// remembered, end with this one.
func (l *Listener) Run(ctx context.Context) error {
	l.started = l.Now()
	stream, err := l.stream(ctx)
	if err != nil || ctx.Err() != nil {
		return ignoreStop(ctx, err)
	}
	if stream == "" {
		return l.passing(ctx)
	}
	if err := l.resume(ctx, stream); err != nil {
		return ignoreStop(ctx, err)
	}
	ctx, still := l.ticking(ctx)
	take := func(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
		return l.event(ctx, msg.Data(), meta.Sequence.Stream, meta.Timestamp, meta.NumPending == 0)
	}
	err = ignoreStop(ctx, l.Client.tail(ctx, stream, l.Subject, l.before.First, take))
	still()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remember(context.WithoutCancel(ctx))
	return errors.Join(err, l.failed)
}

// event handles one event. When it returns nil, everything that the event leads to is stored.
func (l *Listener) event(ctx context.Context, data []byte, seq uint64, at time.Time, caughtUp bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return l.failed
	}
	if err := l.store(ctx, l.Accumulator.Expire(at), at); err != nil {
		return err
	}
	if e := l.decode(data, seq); e != nil && (seq > l.before.Last || l.known[dispatch.Token(e.Session)]) {
		room := l.Accumulator.Stats().Crowded == 0
		if err := l.store(ctx, l.Accumulator.Add(e, len(data), at, seq), at); err != nil {
			return err
		}
		if room && l.Accumulator.Stats().Crowded > 0 {
			l.Tell(l.Subject + ": too many sessions at once; those silent for longest end early, and are counted")
		}
	}
	l.seq, l.caughtUp = max(l.seq, seq), caughtUp
	return nil
}

// decode reads an event. What cannot be read is told once, and counted.
func (l *Listener) decode(data []byte, seq uint64) *dispatch.Event {
	e, err := dispatch.DecodeEvent(data)
	if err != nil {
		if l.bad++; l.bad == 1 {
			l.Tell(fmt.Sprintf("%s: event %d is left out: %v; more of these are only counted", l.Subject, seq, err))
		}
		return nil
	}
	return e
}

// store publishes what events led to. Those from before this start may have been published already.
func (l *Listener) store(ctx context.Context, due dispatch.Due, at time.Time) (err error) {
	defer func() { l.torn = l.torn || err != nil }()
	for _, r := range due.Requests {
		err := l.Client.publish(ctx, r, at.Before(l.started))
		if errors.Is(err, ErrTooLarge) {
			d := &dispatch.Dead{ID: dispatch.Token("listen", r.ID), Request: r.ID, Why: dispatch.TooLarge, Reason: err.Error()}
			d.Session, d.Tries, d.At = r.Session, 1, at
			due.Dead = append(due.Dead, d)
		} else if err != nil {
			return err
		}
	}
	for _, d := range due.Dead {
		d.Worker = l.Worker
		if err := l.Client.StoreDead(ctx, d, nil); err != nil {
			return err
		}
		l.Tell(fmt.Sprintf("session %q is given up: %s", d.Session, d.Reason))
	}
	return nil
}

// ticking ends silent sessions, and remembers where the listener is, until the function that it returns is called. Its
// context ends when the listener cannot go on.
func (l *Listener) ticking(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	var beats sync.WaitGroup
	beats.Go(func() {
		defer cancel()
		tick := time.NewTicker(min(checkpointEvery, max(l.Accumulator.TTL/4, 10*time.Millisecond)))
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if l.beat(ctx) != nil {
					return
				}
			}
		}
	})
	return ctx, func() { cancel(); beats.Wait() }
}

// beat returns why the listener cannot go on.
func (l *Listener) beat(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.caughtUp && l.failed == nil {
		now := l.Now()
		if err := l.store(ctx, l.Accumulator.Expire(now), now); err != nil && ctx.Err() == nil {
			l.failed = err // what was to be published is not forgotten: the next listener makes it again
		}
	}
	if l.failed == nil {
		l.remember(ctx)
	}
	return l.failed
}

// Behind reports whether there are events that the listener has not seen yet.
func (l *Listener) Behind() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.caughtUp
}

// Summary says what became of the events, in words.
func (l *Listener) Summary() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.Accumulator.Stats()
	parts := []string{l.Subject + ": " + plural.Count(s.Messages, "message") + " taken"}
	for _, c := range []struct {
		n          int
		noun, what string
	}{
		{s.Duplicates, "duplicate message", "left out"}, {s.Conflicts, "message", "under a taken index left out"},
		{l.bad, "event", "that cannot be read"}, {l.missed, "event", "lost: they came too fast"},
		{s.Crowded, "session", "ended early for lack of room"},
		{s.Incomplete, "session", "with gaps"}, {s.Unanswered, "session", "without a reply"},
	} {
		if c.n > 0 {
			parts = append(parts, plural.Count(c.n, c.noun)+" "+c.what)
		}
	}
	return strings.Join(parts, ", ")
}

// CheckSubject says what is wrong with a subject to listen to.
func CheckSubject(subject string) error {
	for i, token := range strings.Split(subject, ".") {
		last := i == strings.Count(subject, ".")
		if token == "" || strings.ContainsAny(token, " \t\r\n") || len(token) > 1 && strings.ContainsAny(token, "*>") ||
			token == ">" && !last || strings.HasPrefix(subject, "$") {
			return fmt.Errorf("%q is no subject; expected words with dots between, such as app.events or app.*.events", subject)
		}
	}
	return nil
}
