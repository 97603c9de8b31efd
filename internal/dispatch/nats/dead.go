package nats

import (
	"context"
	"errors"
	"fmt"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
)

// Letter is a dead letter with its sequence in the stream of dead letters.
type Letter struct {
	dispatch.Dead
	Seq uint64 `json:"dead_seq"`
}

// EachLetter calls take for every dead letter in the stream, in order. foreign counts messages that are no dead
// letters.
func (c *Client) EachLetter(ctx context.Context, take func(*Letter) error) (foreign int, err error) {
	var state jetstream.StreamState
	err = c.retry(ctx, func(ctx context.Context) error {
		s, err := c.js.Stream(ctx, c.Dead)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return &Error{fmt.Sprintf("%s: there is no stream %s", c.address.shown, c.Dead), err}
		}
		if err == nil {
			state = s.CachedInfo().State
		}
		return err
	})
	if err != nil || state.Msgs == 0 {
		return 0, err
	}
	err = c.follow(ctx, c.Dead, c.allDead(), 1, func(m jetstream.Msg, meta *jetstream.MsgMetadata) error {
		d, err := dispatch.DecodeDead(m.Data())
		if err != nil {
			foreign++
		} else if err := take(&Letter{*d, meta.Sequence.Stream}); err != nil {
			return err
		}
		if meta.NumPending == 0 {
			return errCaughtUp
		}
		return nil
	})
	if errors.Is(err, errCaughtUp) {
		err = nil
	}
	return foreign, err
}

// Redrive publishes the request of a dead letter again, with all its tries, and removes the letter.
func (c *Client) Redrive(ctx context.Context, l *Letter) error {
	data := []byte(l.Body)
	if data == nil {
		data = l.Bytes
	}
	if data == nil {
		return fmt.Errorf("the request is not in the letter, which was too small for its %s", dispatch.Size(l.Size))
	}
	msg := &natsgo.Msg{Subject: c.Requests(), Data: data, Header: natsgo.Header{replayed: []string{"1"}}}
	_, err := c.store(ctx, msg, jetstream.WithMsgID(dispatch.Token("redrive", l.ID)), jetstream.WithExpectStream(c.Stream))
	if err != nil {
		return err
	}
	if err := c.Drop(ctx, l); err != nil {
		return fmt.Errorf("the request was published again, but its letter is still in the stream: %w", err)
	}
	return nil
}

// Drop removes a dead letter.
func (c *Client) Drop(ctx context.Context, l *Letter) error {
	return c.retry(ctx, func(ctx context.Context) error {
		s, err := c.js.Stream(ctx, c.Dead)
		if err == nil {
			err = s.DeleteMsg(ctx, l.Seq)
		}
		if err == nil || errors.Is(err, jetstream.ErrMsgNotFound) || c.isTransient(err) {
			return ignoreMissing(err)
		}
		return c.explain(fmt.Errorf("remove from %s: %w", c.Dead, err))
	})
}

// ignoreMissing returns nil when the message is no longer in the stream.
func ignoreMissing(err error) error {
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	return err
}
