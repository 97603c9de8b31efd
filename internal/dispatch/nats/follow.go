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
	return readAll(ctx, messages, from, take)
}

// readAll calls take for every message until ctx ends, also where the broker does not answer.
func readAll(
	ctx context.Context, messages jetstream.MessagesContext, from *uint64,
	take func(jetstream.Msg, *jetstream.MsgMetadata) error,
) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	came := make(chan arrival)
	go pump(ctx, messages, came)
	for {
		var next arrival
		select {
		case next = <-came:
		case <-ctx.Done():
			return ctx.Err()
		}
		if next.err != nil {
			return next.err
		}
		meta, err := next.msg.Metadata()
		if err != nil {
			return err
		}
		if meta.Sequence.Stream < *from {
			continue
		}
		if err := take(next.msg, meta); err != nil {
			return &handlerError{err}
		}
		*from = meta.Sequence.Stream + 1
	}
}

// arrival is the next message of a stream, or why there is none.
type arrival struct {
	msg jetstream.Msg
	err error
}

// pump passes messages on until ctx ends or an error comes. A broker that does not answer may hold it up for longer:
// the library asks for its consumer again without a look at ctx.
func pump(ctx context.Context, messages jetstream.MessagesContext, to chan<- arrival) {
	defer messages.Stop()
	for {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		select {
		case to <- arrival{msg, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
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
