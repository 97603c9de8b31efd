package providers

import (
	"context"
	"fmt"

	"golang.org/x/time/rate"

	"github.com/arena-evals/arena/internal/chat"
)

// Limit lets at most n calls run at once; the others wait. n <= 0 is no limit.
func Limit(p Provider, n int) Provider {
	if n <= 0 {
		return p
	}
	return &limited{next: p, slots: make(chan struct{}, n)}
}

type limited struct {
	next  Provider
	slots chan struct{}
}

func (l *limited) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
		return l.next.Complete(ctx, req, onDelta)
	case <-ctx.Done():
		return chat.Reply{}, context.Cause(ctx)
	}
}

func (l *limited) Unwrap() Provider { return l.next }

// Pace starts at most rps calls a second, after a burst of as many as burst (at least 1). rps <= 0 is no limit.
// A call whose turn would come after ctx's deadline fails at once.
func Pace(p Provider, rps float64, burst int) Provider {
	if rps <= 0 {
		return p
	}
	return &paced{next: p, rps: rps, limiter: rate.NewLimiter(rate.Limit(rps), max(burst, 1))}
}

type paced struct {
	next    Provider
	rps     float64
	limiter *rate.Limiter
}

func (l *paced) Complete(ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error) {
	if err := l.limiter.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return chat.Reply{}, context.Cause(ctx)
		}
		return chat.Reply{}, &Error{
			Kind: Timeout, Final: true, Err: err,
			Msg: fmt.Sprintf("timeout: rate_limit of %g calls per second makes this call wait longer than there is time for",
				l.rps),
		}
	}
	return l.next.Complete(ctx, req, onDelta)
}

func (l *paced) Unwrap() Provider { return l.next }
