package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// consumer creates the consumer that workers share, or checks the existing one.
func (c *Client) consumer(ctx context.Context, w *Worker) (found jetstream.Consumer, ackWait time.Duration, err error) {
	err = c.retry(ctx, func(ctx context.Context) error {
		found, err = c.js.Consumer(ctx, c.Stream, w.Durable)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			if c.opts.NoCreate {
				return &Error{fmt.Sprintf("%s: the stream %s has no consumer %s\nleave --no-create out to have it made",
					c.address.shown, c.Stream, w.Durable), err}
			}
			found, err = c.js.CreateConsumer(ctx, c.Stream, jetstream.ConsumerConfig{
				Durable: w.Durable, Description: "Workers that run evals. Made by arena.",
				FilterSubject: c.Requests(), AckPolicy: jetstream.AckExplicitPolicy,
				AckWait: cmp.Or(w.AckWait, DefaultAckWait), MaxDeliver: -1, MaxAckPending: 10_000,
			})
		}
		if err != nil {
			if c.isTransient(err) || errors.Is(err, jetstream.ErrConsumerExists) {
				return natsgo.ErrTimeout
			}
			return c.explain(fmt.Errorf("consumer %s of the stream %s: %w", w.Durable, c.Stream, err))
		}
		config := found.CachedInfo().Config
		ackWait = config.AckWait
		if problem := w.mismatch(&config, c.Requests()); problem != "" {
			return &Error{fmt.Sprintf("%s: the consumer %s of the stream %s %s\nremove it, or name another with --durable",
				c.address.shown, w.Durable, c.Stream, problem), nil}
		}
		return nil
	})
	return found, ackWait, err
}

// mismatch returns why a consumer cannot be used; "" when it can.
func (w *Worker) mismatch(have *jetstream.ConsumerConfig, subject string) string {
	filters := have.FilterSubjects
	if have.FilterSubject != "" {
		filters = []string{have.FilterSubject}
	}
	switch {
	case have.AckPolicy != jetstream.AckExplicitPolicy:
		return "does not ask for a confirmation of each request (ack policy " + have.AckPolicy.String() + ")"
	case have.DeliverSubject != "":
		return "pushes its messages; expected a pull consumer"
	case len(filters) > 0 && !covers(filters, subject):
		return "does not take " + subject
	case have.MaxDeliver > 0 && have.MaxDeliver <= w.MaxDeliver:
		return fmt.Sprintf("gives requests up after %d deliveries, without a dead letter; expected no limit (max_deliver -1)",
			have.MaxDeliver)
	case w.AckWait > 0 && have.AckWait != w.AckWait:
		return fmt.Sprintf("has the ack wait %s; --ack-wait says %s", have.AckWait, w.AckWait)
	}
	return ""
}
