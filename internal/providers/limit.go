package providers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// Shared is what the calls of a provider keep together with those of other machines. What is nil is of this process
// alone.
type Shared struct {
	Turns Turns
	Slots Slots
}

// Slots are those of the calls of a provider that may run at once. They are safe for concurrent use.
type Slots interface {
	// Take waits for a slot. free gives it back; it is to be called once.
	Take(ctx context.Context) (free func(), err error)
}

// Limit lets calls run that have a slot; the others wait. nil are n slots of this process, and n <= 0 is no limit.
func Limit(p Provider, n int, slots Slots) Provider {
	if n <= 0 {
		return p
	}
	if slots == nil {
		slots = make(ownSlots, n)
	}
	return &limited{next: p, slots: slots}
}

// ownSlots are those of this process.
type ownSlots chan struct{}

func (s ownSlots) Take(ctx context.Context) (free func(), err error) {
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

type limited struct {
	next  Provider
	slots Slots
}

func (l *limited) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	free, err := l.slots.Take(ctx)
	if err != nil {
		return chat.Reply{}, err
	}
	defer free()
	return l.next.Complete(ctx, req, onDelta)
}

func (l *limited) Unwrap() Provider { return l.next }

// Turns say when calls of a provider may be made. They are safe for concurrent use.
type Turns interface {
	// Wait waits for the turn of a call. It returns context.DeadlineExceeded at once when that would come after ctx's
	// deadline.
	Wait(ctx context.Context) error
	// Pause has the calls that come wait for as long as the server has asked for.
	Pause(d time.Duration)
}

// Pace lets calls wait for their turns. Those of nil are of this process alone: at most spec.RPS a second, after a
// burst of as many as spec.Burst (at least 1), and without a limit where RPS is 0. A call whose turn would come after
// ctx's deadline fails at once.
func Pace(p Provider, spec *scenario.Provider, turns Turns) Provider {
	if turns == nil {
		if spec.RPS <= 0 {
			return p
		}
		turns = ownTurns{rate.NewLimiter(rate.Limit(spec.RPS), max(spec.Burst, 1))}
	}
	return &paced{next: p, rps: spec.RPS, turns: turns}
}

// ownTurns are those of this process.
type ownTurns struct{ limiter *rate.Limiter }

func (t ownTurns) Wait(ctx context.Context) error {
	if err := t.limiter.Wait(ctx); err != nil {
		return context.DeadlineExceeded // or ctx has ended
	}
	return nil
}

func (ownTurns) Pause(time.Duration) {} // each call waits by itself

type paced struct {
	next  Provider
	rps   float64
	turns Turns
}

func (l *paced) Complete(ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error) {
	if err := l.turns.Wait(ctx); err != nil {
		return chat.Reply{}, l.tooLate(ctx, err)
	}
	reply, err := l.next.Complete(ctx, req, onDelta)
	if failed, ok := errors.AsType[*Error](err); ok && failed.Kind == RateLimit && failed.RetryAfter > 0 {
		l.turns.Pause(min(failed.RetryAfter, longestWait))
	}
	return reply, err
}

func (l *paced) tooLate(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !errors.Is(err, context.DeadlineExceeded):
		return err
	}
	why := fmt.Sprintf("rate_limit of %g calls per second", l.rps)
	if l.rps <= 0 {
		why = "the pause that the server asked for"
	}
	return &Error{
		Kind: Timeout, Final: true, Err: err,
		Msg: "timeout: " + why + " makes this call wait longer than there is time for",
	}
}

func (l *paced) Unwrap() Provider { return l.next }
