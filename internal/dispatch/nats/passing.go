package nats

import (
	"context"
	"errors"

	natsgo "github.com/nats-io/nats.go"

	"github.com/arena-evals/arena/internal/dispatch"
)

// maxHeard is how many events may wait for the listener, of dispatch.DefaultMaxBytes together.
const maxHeard = 1 << 16

// passing listens to a subject that no stream holds: what is sent meanwhile is all there is.
func (l *Listener) passing(ctx context.Context) error {
	l.Tell(l.Subject + ": no stream holds this subject: what is sent while no listener runs is lost")
	sub, err := l.Client.conn.SubscribeSync(l.Subject)
	if err == nil {
		err = sub.SetPendingLimits(maxHeard, dispatch.DefaultMaxBytes)
	}
	if err != nil {
		return l.Client.explain(err)
	}
	defer func() { _ = sub.Unsubscribe() }() // the connection may be gone
	l.mu.Lock()
	l.caughtUp = true
	l.mu.Unlock()
	beating, still := l.ticking(ctx)
	err = l.hear(beating, sub)
	still()
	l.mu.Lock()
	defer l.mu.Unlock()
	if dropped, droppedErr := sub.Dropped(); droppedErr == nil {
		l.missed = dropped
	}
	if err = errors.Join(err, l.failed); err != nil {
		return err
	}
	now := l.Now()
	return l.store(context.WithoutCancel(ctx), l.Accumulator.EndAll(now), now)
}

// hear takes what is sent until ctx ends.
func (l *Listener) hear(ctx context.Context, sub *natsgo.Subscription) error {
	slow := false
	for seq := uint64(1); ; {
		msg, err := next(ctx, sub)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, context.DeadlineExceeded):
		case errors.Is(err, natsgo.ErrSlowConsumer):
			if !slow {
				l.Tell(l.Subject + ": events come faster than they are taken, and some are lost; put the subject into a stream")
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

// next waits a while: that the broker does not allow the subject shows only when it is asked again.
func next(ctx context.Context, sub *natsgo.Subscription) (*natsgo.Msg, error) {
	once, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	return sub.NextMsgWithContext(once)
}

// ignoreStop is nil where the context has ended.
func ignoreStop(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
