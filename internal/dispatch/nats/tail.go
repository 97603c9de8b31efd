package nats

import (
	"context"
	"errors"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// tail hands every message of a stream under a subject to a function, in order and each once, from a sequence on, until
// ctx ends or the function returns an error. A broker that goes away is waited for.
func (c *Client) tail(
	ctx context.Context, stream, subject string, from uint64, take func(jetstream.Msg, *jetstream.MsgMetadata) error,
) error {
	for try := 0; ; try++ {
		err := c.tailOnce(ctx, stream, subject, &from, take)
		if taken, ok := errors.AsType[*takeError](err); ok {
			return taken.error
		}
		if ended := c.ended(); ended != nil {
			return ended
		}
		if err != nil && ctx.Err() == nil && !c.passing(err) {
			return c.explain(err)
		}
		if !c.pause(ctx, delay(min(try, 4))) {
			return nil
		}
	}
}

// takeError is one of the function that messages go to.
type takeError struct{ error }

func (c *Client) tailOnce(
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
			return &takeError{err}
		}
		*from = meta.Sequence.Stream + 1
	}
}

// ordered starts to read a stream.
func (c *Client) ordered(
	ctx context.Context, stream, subject string, from uint64,
) (jetstream.MessagesContext, error) {
	once, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	consumer, err := c.js.OrderedConsumer(once, stream, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{subject}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(from, 1),
		MaxResetAttempts: 1,
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, natsgo.ErrTimeout // it may be made again
	}
	if err != nil {
		return nil, err
	}
	return consumer.Messages(jetstream.PullHeartbeat(heartbeat), jetstream.PullExpiry(10*heartbeat))
}

// last is the sequence of the newest message of a stream; 0 when it is empty.
func (c *Client) last(ctx context.Context, stream string) (seq uint64, err error) {
	err = c.stubborn(ctx, func(ctx context.Context) error {
		s, err := c.js.Stream(ctx, stream)
		if err == nil {
			seq = s.CachedInfo().State.LastSeq
		}
		return err
	})
	return seq, err
}
