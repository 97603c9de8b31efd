package providers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// Defaults of a Breaker.
const (
	maxOutages   = 10 // failures in a row after which a server is taken for dead
	maxDenials   = 3  // and after which a key is taken for wrong
	defaultProbe = 30 * time.Second
	longestProbe = 10 * time.Minute // whatever a server asks for, for it may be mistaken
)

// Breaker stops the calls of a provider whose server is dead or whose key is wrong. It opens after a number of failures
// in a row. From then on calls fail at once, with the reason of the last failure. After a while, or after the pause
// that the server asked for, one call is let through to see whether the server is back.
//
// Two counts open it. One is of failures that say that nobody is there: no connection, no answer in time, 5xx. At least
// one call must have failed after all its retries as well, so that trouble which retries outlast costs nothing. The
// other is of calls that will be refused whatever they ask: the key is wrong, the quota is spent, or the rate limit
// ends later than anybody waits. Everything else shows that the server works, and sets both counts to zero.
//
// It is safe for concurrent use.
type Breaker struct {
	id      string
	outages int // failures in a row that open it
	denials int
	wait    time.Duration
	now     func() time.Time

	mu      sync.Mutex
	failed  int    // in a row
	denied  int    // of these, because of the key
	gaveUp  bool   // a call failed for good meanwhile
	last    *Error // failure that counted
	open    *Error // the error of calls that are not made; nil: calls are made
	probeAt time.Time
	probing bool
}

// NewBreaker makes the breaker of a provider; nil when its file wants none. now may be nil: time.Now.
func NewBreaker(spec *scenario.Provider, now func() time.Time) *Breaker {
	b := &Breaker{id: spec.ID, outages: maxOutages, denials: maxDenials, wait: defaultProbe, now: now}
	if n := spec.Breaker.MaxFailures; n != nil {
		if *n == 0 {
			return nil
		}
		b.outages, b.denials = *n, min(*n, maxDenials)
	}
	if spec.Breaker.ProbeAfter > 0 {
		b.wait = spec.Breaker.ProbeAfter
	}
	if b.now == nil {
		b.now = time.Now
	}
	return b
}

// Attempts lets the breaker see every attempt of a model, below its retries.
func (b *Breaker) Attempts(p Provider) Provider {
	if b == nil {
		return p
	}
	return &attempts{next: p, b: b}
}

// Calls lets the breaker see how calls end, around their retries.
func (b *Breaker) Calls(p Provider) Provider {
	if b == nil {
		return p
	}
	return &wholeCalls{next: p, b: b}
}

type attempts struct {
	next Provider
	b    *Breaker
}

func (a *attempts) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	probe, err := a.b.enter()
	if err != nil {
		return chat.Reply{}, err
	}
	reply, err := a.next.Complete(ctx, req, onDelta)
	a.b.leave(probe, ctx.Err() != nil, err)
	return reply, err
}

func (a *attempts) Unwrap() Provider { return a.next }

type wholeCalls struct {
	next Provider
	b    *Breaker
}

func (c *wholeCalls) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	if err := c.b.refusal(); err != nil {
		return chat.Reply{}, err
	}
	reply, err := c.next.Complete(ctx, req, onDelta)
	if err != nil {
		c.b.ended(err)
	}
	return reply, err
}

func (c *wholeCalls) Unwrap() Provider { return c.next }

// refusal is the error of a call that need not be tried; nil: it may.
func (b *Breaker) refusal() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil || !b.probing && !b.now().Before(b.probeAt) {
		return nil
	}
	return b.open
}

// enter lets an attempt through, or not. probe says that it is to show whether the server is back.
func (b *Breaker) enter() (probe bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.open == nil:
		return false, nil
	case b.probing || b.now().Before(b.probeAt):
		return false, b.open
	}
	b.probing = true
	return true, nil
}

// leave notes how an attempt went. What was cancelled says nothing.
func (b *Breaker) leave(probe, cancelled bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.probing = false
	}
	failed, known := errors.AsType[*Error](err)
	switch {
	case err == nil:
		b.reset()
	case cancelled || !known || failed.Kind == BadReply:
	case denied(failed):
		b.last, b.denied = failed, b.denied+1
		b.decide()
	case failed.Kind == Transport || failed.Kind == Timeout:
		b.last, b.failed = failed, b.failed+1
		b.decide()
	default: // the server works
		b.reset()
	}
	if probe && b.open != nil && !cancelled {
		b.probeAt = b.now().Add(b.until())
	}
}

// reset forgets all failures and closes the breaker, because the server works.
func (b *Breaker) reset() { b.failed, b.denied, b.gaveUp, b.open = 0, 0, false, nil }

// until is how long to wait for the next probe.
func (b *Breaker) until() time.Duration {
	if asked := min(b.last.RetryAfter, longestProbe); asked > 0 {
		return asked
	}
	return b.wait
}

// denied reports whether the next call will be refused like this one, whatever it asks. A 403 may be about what was
// asked.
func denied(e *Error) bool {
	return e.Kind == Auth && e.Status != http.StatusForbidden ||
		e.Kind == RateLimit && (e.Final || e.RetryAfter > longestWait)
}

// ended notes that a call failed after all its retries.
func (b *Breaker) ended(err error) {
	failed, known := errors.AsType[*Error](err)
	if !known || failed.Kind != Transport && failed.Kind != Timeout {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed > 0 {
		b.gaveUp = true
		b.decide()
	}
}

// decide opens the breaker when enough has failed.
func (b *Breaker) decide() {
	n := b.denials
	if b.denied < n {
		if n = b.outages; b.failed < n || !b.gaveUp {
			return
		}
	}
	if b.open != nil {
		return
	}
	b.probeAt = b.now().Add(b.until())
	b.open = &Error{
		Kind: b.last.Kind, Provider: b.id, Status: b.last.Status, Final: true, Err: b.last,
		Msg: fmt.Sprintf("not called, after %d failures in a row: %s", n, b.last.Msg),
	}
	if b.last.RetryAfter > longestWait {
		b.open.Msg += b.last.asks()
	}
}
