package nats

import (
	"context"
	"errors"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// follow calls take for every message of a stream under a subject, in order and each once, from a sequence number on.
// It ends with ctx, or when take returns an error. It waits while the broker is unreachable.
func (c *Client) follow(
	ctx context.Context, stream, subject string, from uint64, take func(jetstream.Msg, *jetstream.MsgMetadata) error,
) error {
	for try := 0; ; try++ {
		err := c.followOnce(ctx, stream, subject, &from, take)
		if taken, ok := errors.AsType[*handlerError](err); ok {
			return taken.error
		}
		if ended := c.closedError(); ended != nil {
			return ended
		}
		err = missingIsTransient(err)
		if err != nil && ctx.Err() == nil && !c.isTransient(err) {
			return c.explain(err)
		}
		if !c.pause(ctx, delay(min(try, 4))) {
			return nil
		}
	}
}

// handlerError is an error that take returned.
type handlerError struct{ error }

func (c *Client) followOnce(
	ctx context.Context, stream, subject string, from *uint64, take func(jetstream.Msg, *jetstream.MsgMetadata) error,
) error {
	messages, err := c.ordered(ctx, stream, subject, *from)
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		meta, err := msg.Metadata()
		if err != nil {
			return err
		}
		if meta.Sequence.Stream < *from {
			continue
		}
		if err := take(msg, meta); err != nil {
			return &handlerError{err}
		}
		*from = meta.Sequence.Stream + 1
	}
}

// ordered starts to read a stream in order.
func (c *Client) ordered(
	ctx context.Context, stream, subject string, from uint64,
) (jetstream.MessagesContext, error) {
	once, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	consumer, err := c.js.OrderedConsumer(once, stream, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{subject}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(from, 1),
		MaxResetAttempts: 1,
	})
	if err != nil {
		return nil, err
	}
	return consumer.Messages(jetstream.PullHeartbeat(heartbeat), jetstream.PullExpiry(10*heartbeat))
}

// missingIsTransient has a stream that is not there waited for: it may be made again.
func missingIsTransient(err error) error {
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return natsgo.ErrTimeout
	}
	return err
}

// last is the sequence number of the newest message of a stream; 0 when it is empty.
func (c *Client) last(ctx context.Context, stream string) (seq uint64, err error) {
	err = c.retry(ctx, func(ctx context.Context) error {
		s, err := c.js.Stream(ctx, stream)
		if err == nil {
			seq = s.CachedInfo().State.LastSeq
		}
		return err
	})
	return seq, err
}
