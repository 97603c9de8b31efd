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

// Listener reads events on a subject and publishes requests for the evals of their sessions. If a stream stores the
// subject, a listener continues after a restart, and several listeners publish no request twice.
type Listener struct {
	Client      *Client
	Subject     string
	Name        string // of the checkpoint
	Accumulator *dispatch.Accumulator
	Worker      string // named in dead letters
	Now         func() time.Time
	Notify      func(string)

	mu         sync.Mutex
	bucket     jetstream.KeyValue // nil: there are no checkpoints
	previous   checkpoint         // of the previous listener
	wasOpen    map[string]bool    // tokens of the sessions that were open in previous
	seq        uint64             // of the last event
	caughtUp   bool
	started    time.Time
	unreadable int   // events
	dropped    int   // events that came too fast
	err        error // why the listener cannot go on
	saveFailed bool  // the last checkpoint was not stored, and that was reported
	incomplete bool  // requests of a session that ended are not stored: the next listener must end the session again
}

// Run listens until ctx ends. The next listener takes over the sessions that are open then. Without a stream they end.
func (l *Listener) Run(ctx context.Context) error {
	l.started = l.Now()
	stream, err := l.findStream(ctx)
	if err != nil || ctx.Err() != nil {
		return ignoreStop(ctx, err)
	}
	if stream == "" {
		return l.listenWithoutStream(ctx)
	}
	if err := l.resume(ctx, stream); err != nil {
		return ignoreStop(ctx, err)
	}
	ctx, still := l.startTicking(ctx)
	take := func(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
		return l.event(ctx, msg.Data(), meta.Sequence.Stream, meta.Timestamp, meta.NumPending == 0)
	}
	err = ignoreStop(ctx, l.Client.follow(ctx, stream, l.Subject, l.previous.First, take))
	still()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saveCheckpoint(context.WithoutCancel(ctx))
	return errors.Join(err, l.err)
}

// event handles one event. When it returns nil, everything that follows from the event is stored.
func (l *Listener) event(ctx context.Context, data []byte, seq uint64, at time.Time, caughtUp bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	if err := l.store(ctx, l.Accumulator.Expire(at), at); err != nil {
		return err
	}
	if e := l.decode(data, seq); e != nil && (seq > l.previous.Last || l.wasOpen[dispatch.Token(e.Session)]) {
		room := l.Accumulator.Stats().Evicted == 0
		if err := l.store(ctx, l.Accumulator.Add(e, len(data), at, seq), at); err != nil {
			return err
		}
		if room && l.Accumulator.Stats().Evicted > 0 {
			l.Notify(l.Subject + ": too many sessions at once; those silent for longest end early, and are counted")
		}
	}
	l.seq, l.caughtUp = max(l.seq, seq), caughtUp
	return nil
}

// decode decodes an event. Events that cannot be read are counted; the first is reported.
func (l *Listener) decode(data []byte, seq uint64) *dispatch.Event {
	e, err := dispatch.DecodeEvent(data)
	if err != nil {
		if l.unreadable++; l.unreadable == 1 {
			l.Notify(fmt.Sprintf("%s: event %d is left out: %v; more of these are only counted", l.Subject, seq, err))
		}
		return nil
	}
	return e
}

// store publishes the requests that follow from events. at is their time: a previous listener may have published
// requests from before this start.
func (l *Listener) store(ctx context.Context, due dispatch.Actions, at time.Time) (err error) {
	defer func() { l.incomplete = l.incomplete || err != nil }()
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
		l.Notify(fmt.Sprintf("session %q is given up: %s", d.Session, d.Reason))
	}
	return nil
}

// startTicking ends silent sessions and saves checkpoints, until the returned function is called. The returned context
// ends when the listener cannot continue.
func (l *Listener) startTicking(ctx context.Context) (context.Context, func()) {
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
				if l.tick(ctx) != nil {
					return
				}
			}
		}
	})
	return ctx, func() { cancel(); beats.Wait() }
}

// tick ends silent sessions and saves a checkpoint. The error says why the listener cannot continue.
func (l *Listener) tick(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.caughtUp && l.err == nil {
		now := l.Now()
		if err := l.store(ctx, l.Accumulator.Expire(now), now); err != nil && ctx.Err() == nil {
			l.err = err // the next listener publishes the requests
		}
	}
	if l.err == nil {
		l.saveCheckpoint(ctx)
	}
	return l.err
}

// Behind reports whether there are events that the listener has not handled yet.
func (l *Listener) Behind() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.caughtUp
}

// Summary counts the events and sessions, in words.
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
		{l.unreadable, "event", "that cannot be read"}, {l.dropped, "event", "lost: they came too fast"},
		{s.Evicted, "session", "ended early for lack of room"},
		{s.Incomplete, "session", "with gaps"}, {s.Unanswered, "session", "without a reply"},
	} {
		if c.n > 0 {
			parts = append(parts, plural.Count(c.n, c.noun)+" "+c.what)
		}
	}
	return strings.Join(parts, ", ")
}

// CheckSubject returns the problem of a subject to listen to.
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
