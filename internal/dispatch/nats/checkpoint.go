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

// checkpoint is the state that a listener takes over from the previous one.
type checkpoint struct {
	Last  uint64   `json:"last"`  // last event that was handled
	First uint64   `json:"first"` // first event of the sessions that were open; Last+1 when none was
	Open  []string `json:"open"`  // tokens of these sessions
}

const (
	checkpointEvery = 2 * time.Second
	bucketSuffix    = "_LISTEN"
)

// findStream finds the stream that holds the subject; "" when none does.
func (l *Listener) findStream(ctx context.Context) (name string, err error) {
	err = l.Client.retry(ctx, func(ctx context.Context) error {
		name, err = l.Client.js.StreamNameBySubject(ctx, l.Subject)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			name = ""
			return nil
		}
		return err
	})
	if slices.Contains([]string{l.Client.Stream, l.Client.Results, l.Client.Names.Dead}, name) {
		return "", &Error{fmt.Sprintf("%s: %s is a subject of the stream %s, which holds requests and results, not events",
			l.Client.address.shown, l.Subject, name), nil}
	}
	return name, err
}

// openBucket opens the key-value bucket for checkpoints, and creates it when it is missing.
func (l *Listener) openBucket(ctx context.Context) (err error) {
	name := l.Client.Stream + bucketSuffix
	l.bucket, err = l.Client.js.KeyValue(ctx, name)
	switch {
	case !errors.Is(err, jetstream.ErrBucketNotFound):
		return err
	case l.Client.opts.NoCreate:
		return &Error{fmt.Sprintf("%s: there is no key-value bucket %s for the positions of listeners\n"+
			"leave --no-create out to have it made", l.Client.address.shown, name), err}
	}
	l.bucket, err = l.Client.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: name, Description: "Positions of listeners. Made by arena.", Storage: jetstream.FileStorage,
	})
	if errors.Is(err, jetstream.ErrBucketExists) { // another listener was faster
		l.bucket, err = l.Client.js.KeyValue(ctx, name)
	}
	return err
}

// resume reads the checkpoint of the previous listener.
func (l *Listener) resume(ctx context.Context, stream string) error {
	err := l.Client.retry(ctx, l.openBucket)
	if err != nil {
		return l.Client.explain(err)
	}
	err = l.Client.retry(ctx, func(ctx context.Context) error {
		entry, err := l.bucket.Get(ctx, l.key())
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err == nil && json.Unmarshal(entry.Value(), &l.previous) != nil {
			return &Error{l.Client.address.shown + ": the checkpoint of the listener " + l.Name + " cannot be read", nil}
		}
		return err
	})
	last, endErr := l.Client.last(ctx, stream)
	if err := errors.Join(err, endErr); err != nil {
		return err
	}
	if l.previous.Last > last { // the stream was deleted and created again
		l.previous = checkpoint{}
	}
	newest, err := l.newest(ctx, stream)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.caughtUp = newest < max(l.previous.First, 1)
	l.wasOpen, l.seq = map[string]bool{}, l.previous.Last
	for _, token := range l.previous.Open {
		l.wasOpen[token] = true
	}
	return nil
}

// newest is the sequence of the last event on the subject; 0 when there is none.
func (l *Listener) newest(ctx context.Context, stream string) (seq uint64, err error) {
	err = l.Client.retry(ctx, func(ctx context.Context) error {
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

// key is the key of the checkpoint. It depends on the name and the subject of the listener.
func (l *Listener) key() string { return l.Name + "-" + dispatch.Token(l.Subject) }

// saveCheckpoint stores the state of the listener. A failure is reported once, and the next call tries again.
func (l *Listener) saveCheckpoint(ctx context.Context) {
	if l.bucket == nil || l.seq == 0 || l.incomplete {
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
	if l.seq < l.previous.Last { // this listener still reads events that the previous one handled
		return
	}
	data, err := json.Marshal(c)
	if err != nil {
		return
	}
	once, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	_, err = l.bucket.Put(once, l.key(), data)
	if err != nil && !l.saveFailed && ctx.Err() == nil {
		l.Notify(fmt.Sprintf("%s: the position of the listener could not be stored; trying again: %v", l.Subject, err))
	}
	l.saveFailed = err != nil
}
