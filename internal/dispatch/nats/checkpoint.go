package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
)

// checkpoint is what a listener has to know of the one before.
type checkpoint struct {
	Last  uint64   `json:"last"`  // event that was handled
	First uint64   `json:"first"` // event of the sessions that were open; Last+1 when none were
	Open  []string `json:"open"`  // tokens of these sessions
}

const (
	checkpointEvery = 2 * time.Second
	bucketSuffix    = "_LISTEN"
)

// stream finds the stream that holds the subject; "" when none does.
func (l *Listener) stream(ctx context.Context) (name string, err error) {
	err = l.Client.stubborn(ctx, func(ctx context.Context) error {
		name, err = l.Client.js.StreamNameBySubject(ctx, l.Subject)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			name = ""
			return nil
		}
		return err
	})
	if slices.Contains([]string{l.Client.Stream, l.Client.Results, l.Client.Names.Dead}, name) {
		return "", &Error{fmt.Sprintf("%s: %s is a subject of the stream %s, which holds requests and results, not events",
			l.Client.at.shown, l.Subject, name), nil}
	}
	return name, err
}

// open finds the bucket of listeners, which belongs to whoever runs the broker, or makes it.
func (l *Listener) open(ctx context.Context) (err error) {
	name := l.Client.Stream + bucketSuffix
	l.state, err = l.Client.js.KeyValue(ctx, name)
	switch {
	case !errors.Is(err, jetstream.ErrBucketNotFound):
		return err
	case l.Client.opts.NoCreate:
		return &Error{fmt.Sprintf("%s: there is no key-value bucket %s for where listeners are\n"+
			"leave --no-create out to have it made", l.Client.at.shown, name), err}
	}
	l.state, err = l.Client.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: name, Description: "Where listeners are. Made by arena.", Storage: jetstream.FileStorage,
	})
	if errors.Is(err, jetstream.ErrBucketExists) { // another one was faster
		l.state, err = l.Client.js.KeyValue(ctx, name)
	}
	return err
}

// resume reads where the listener before was.
func (l *Listener) resume(ctx context.Context, stream string) error {
	err := l.Client.stubborn(ctx, l.open)
	if err != nil {
		return l.Client.explain(err)
	}
	err = l.Client.stubborn(ctx, func(ctx context.Context) error {
		entry, err := l.state.Get(ctx, l.key())
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err == nil && json.Unmarshal(entry.Value(), &l.before) != nil {
			return &Error{l.Client.at.shown + ": what the listener " + l.Name + " remembers cannot be read", nil}
		}
		return err
	})
	last, endErr := l.Client.last(ctx, stream)
	if err := errors.Join(err, endErr); err != nil {
		return err
	}
	if l.before.Last > last { // another stream of the same name
		l.before = checkpoint{}
	}
	newest, err := l.newest(ctx, stream)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.caughtUp = newest < max(l.before.First, 1)
	l.known, l.seq = map[string]bool{}, l.before.Last
	for _, token := range l.before.Open {
		l.known[token] = true
	}
	return nil
}

// newest is the sequence of the last event on the subject; 0 when there is none.
func (l *Listener) newest(ctx context.Context, stream string) (seq uint64, err error) {
	err = l.Client.stubborn(ctx, func(ctx context.Context) error {
		s, err := l.Client.js.Stream(ctx, stream)
		if err != nil {
			return err
		}
		msg, err := s.GetLastMsgForSubject(ctx, l.Subject)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil
		case err == nil:
			seq = msg.Sequence
		}
		return err
	})
	return seq, err
}

// key of what is remembered: the same subject under the same name.
func (l *Listener) key() string { return l.Name + "-" + dispatch.Token(l.Subject) }

// remember stores where the listener is. What fails is told once, and stored the next time.
func (l *Listener) remember(ctx context.Context) {
	if l.state == nil || l.seq == 0 || l.torn {
		return
	}
	ids, first := l.Accumulator.Open()
	c := checkpoint{Last: l.seq, First: first}
	if first == 0 {
		c.First = l.seq + 1
	}
	for _, id := range ids {
		c.Open = append(c.Open, dispatch.Token(id))
	}
	if l.seq < l.before.Last { // still at what the listener before had seen
		return
	}
	data, err := json.Marshal(c)
	if err != nil {
		return
	}
	once, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	_, err = l.state.Put(once, l.key(), data)
	if err != nil && !l.unstored && ctx.Err() == nil {
		l.Tell(fmt.Sprintf("%s: where the listener is cannot be stored, and is tried again: %v", l.Subject, err))
	}
	l.unstored = err != nil
}
