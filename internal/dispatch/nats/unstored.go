package nats

import (
	"context"
	"errors"

	natsgo "github.com/nats-io/nats.go"

	"github.com/arena-evals/arena/internal/dispatch"
)

// maxPending is how many events may wait for the listener, with dispatch.DefaultMaxBytes in total.
const maxPending = 1 << 16

// listenWithoutStream listens to a subject without a stream. It gets only events that are sent while it listens.
func (l *Listener) listenWithoutStream(ctx context.Context) error {
	l.Notify(l.Subject + ": no stream holds this subject: what is sent while no listener runs is lost")
	sub, err := l.Client.conn.SubscribeSync(l.Subject)
	if err == nil {
		err = sub.SetPendingLimits(maxPending, dispatch.DefaultMaxBytes)
	}
	if err != nil {
		return l.Client.explain(err)
	}
	defer func() { _ = sub.Unsubscribe() }() // the connection may be gone
	l.mu.Lock()
	l.caughtUp = true
	l.mu.Unlock()
	beating, still := l.startTicking(ctx)
	err = l.receive(beating, sub)
	still()
	l.mu.Lock()
	defer l.mu.Unlock()
	if dropped, droppedErr := sub.Dropped(); droppedErr == nil {
		l.dropped = dropped
	}
	if err = errors.Join(err, l.err); err != nil {
		return err
	}
	now := l.Now()
	return l.store(context.WithoutCancel(ctx), l.Accumulator.EndAll(now), now)
}

// receive handles the events of a subscription until ctx ends.
func (l *Listener) receive(ctx context.Context, sub *natsgo.Subscription) error {
	slow := false
	for seq := uint64(1); ; {
		msg, err := next(ctx, sub)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, context.DeadlineExceeded):
		case errors.Is(err, natsgo.ErrSlowConsumer):
			if !slow {
				l.Notify(l.Subject + ": events come faster than they are taken, and some are lost; put the subject into a stream")
			}
			slow = true
		case err != nil:
			return l.Client.explain(err)
		default:
			if err := l.event(ctx, msg.Data, seq, l.Now(), true); err != nil {
				return ignoreStop(ctx, err)
			}
			seq++
		}
	}
}

// next waits for a message, for a limited time: the broker reports a missing permission only at a later request.
func next(ctx context.Context, sub *natsgo.Subscription) (*natsgo.Msg, error) {
	once, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	return sub.NextMsgWithContext(once)
}

// ignoreStop returns nil when the context has ended, else err.
func ignoreStop(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
