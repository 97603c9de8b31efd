package providers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/time/rate"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// Defaults of Retry.
const (
	DefaultAttempts = 4 // the call and three retries
	defaultBase     = 500 * time.Millisecond
	defaultMaxDelay = 30 * time.Second
	longestWait     = 10 * time.Minute // of a call, for all its retries; no wait starts that would end later
)

// Retry repeats calls that failed with a temporary *Error: policy.Attempts calls in all (0: DefaultAttempts), with
// growing waits in between that begin at policy.BaseDelay and end at policy.MaxDelay, or as long as the server asks
// for. A call whose text has begun to stream is not repeated, nor is any once ctx is done, nor when the budget of the
// policy is spent. One whose server asks for a longer wait than there is time for, or than ten minutes in all, fails at
// once and says so: nobody learns more by waiting. One whose reply is Settled is made once more at most.
//
// random gives numbers in [0,1) that spread the waits of parallel trials; nil spreads nothing. It must be safe for
// concurrent use. Reply.Retries and Error.Attempts say what it took. What attempts used that failed counts with the
// rest.
func Retry(p Provider, policy scenario.RetryPolicy, random func() float64) Provider {
	if policy.Attempts == 0 {
		policy.Attempts = DefaultAttempts
	}
	if policy.Attempts <= 1 {
		return p
	}
	if policy.BaseDelay <= 0 {
		policy.BaseDelay = defaultBase
	}
	if policy.MaxDelay <= 0 {
		policy.MaxDelay = defaultMaxDelay
	}
	if random == nil {
		random = func() float64 { return 0 }
	}
	r := &retrier{next: p, policy: policy, random: random}
	if policy.PerSecond > 0 {
		r.budget = rate.NewLimiter(rate.Limit(policy.PerSecond), max(policy.Burst, 1))
	}
	return r
}

type retrier struct {
	next   Provider
	policy scenario.RetryPolicy
	random func() float64
	budget *rate.Limiter // of the retries of all calls; nil: no limit
}

func (r *retrier) Complete(ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error) {
	c := &retriedCall{retrier: r, req: req, onDelta: onDelta, start: time.Now()}
	reply, err := backoff.Retry(ctx, func() (chat.Reply, error) { return c.attempt(ctx) },
		backoff.WithBackOff(c),
		backoff.WithMaxTries(uint(r.policy.Attempts)),
		backoff.WithMaxElapsedTime(longestWait),
	)
	if err == nil {
		reply.Retries = c.attempts - 1
		if c.wasted != (chat.Usage{}) {
			reply.Usage = reply.Usage.Add(c.wasted)
			reply.Notice = strings.TrimPrefix(reply.Notice+"; "+noticeWasted, "; ")
		}
		return reply, nil
	}
	return chat.Reply{}, c.failure(ctx)
}

const noticeWasted = "the model was asked again after replies that could not be used; their tokens count as well"

type retryStreamedKey struct{}

// RetryStreamed says that nobody acts on what onDelta is told of calls under ctx, so that a call is repeated also after
// its text has begun to stream. onDelta hears the text of each attempt then.
func RetryStreamed(ctx context.Context) context.Context {
	return context.WithValue(ctx, retryStreamedKey{}, true)
}

func (r *retrier) Unwrap() Provider { return r.next }

// retriedCall is the state of one call. It is the backoff.BackOff of its own waits, so that they can follow what the
// last error asked for.
type retriedCall struct {
	*retrier
	req      *chat.Request
	onDelta  func(chat.Delta) error
	start    time.Time
	attempts int
	began    bool // text has been handed out
	settled  bool // an attempt brought a reply that is of no use
	delay    backoff.ExponentialBackOff
	last     error
	wasted   chat.Usage // of the attempts that failed
}

func (c *retriedCall) attempt(ctx context.Context) (chat.Reply, error) {
	c.attempts++
	onDelta := c.onDelta
	if onDelta != nil && ctx.Value(retryStreamedKey{}) == nil {
		onDelta = func(d chat.Delta) error {
			c.began = true
			return c.onDelta(d)
		}
	}
	reply, err := c.next.Complete(ctx, c.req, onDelta)
	if failed, ok := errors.AsType[*Error](err); ok && failed.Temporary() {
		err = c.tooLong(ctx, failed)
	}
	took, _ := Spent(err)
	c.wasted = c.wasted.Add(took)
	c.last = err
	failed, ok := errors.AsType[*Error](err)
	settled := ok && failed.Settled
	switch {
	case err == nil:
	case c.began, !ok, !failed.Temporary(), settled && c.settled:
		err = backoff.Permanent(err)
	case c.budget != nil && c.attempts < c.policy.Attempts && !c.budget.Allow():
		err = backoff.Permanent(err)
	}
	c.settled = c.settled || settled
	return reply, err
}

// tooLong is the error of an attempt that says so when nobody waits as long as the server asks.
func (c *retriedCall) tooLong(ctx context.Context, failed *Error) error {
	left, limit := longestWait-time.Since(c.start), "a call waits for, "+spanText(longestWait)+" in all"
	if deadline, set := ctx.Deadline(); set && time.Until(deadline) < left {
		left, limit = time.Until(deadline), "the time limit leaves"
	}
	if failed.RetryAfter <= max(left, 0) {
		return failed
	}
	final := *failed
	final.Final = true
	final.Msg += failed.asks() + ", longer than " + limit +
		"; " + askLess
	return &final
}

// askLess is what to do about a limit of calls.
const askLess = "run this again later, or ask for less at a time with rate_limit.rps or --jobs"

func (e *Error) asks() string {
	span := spanText(e.RetryAfter)
	if e.RetryAfter >= 24*time.Hour { // at which spans are cut
		span = "a day or more"
	}
	return "; the server asks to wait " + span
}

// spanText is a span as people write it: 1h, and not 1h0m0s.
func spanText(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Reset starts the waits again; part of backoff.BackOff.
func (c *retriedCall) Reset() {
	// The library's own jitter draws from the global source, so it stays off.
	c.delay = backoff.ExponentialBackOff{
		InitialInterval: c.policy.BaseDelay, MaxInterval: c.policy.MaxDelay, Multiplier: 2,
	}
	c.delay.Reset()
}

// NextBackOff is the next wait; part of backoff.BackOff. Half of it is random.
func (c *retriedCall) NextBackOff() time.Duration {
	delay := c.delay.NextBackOff() / 2
	wait := delay + time.Duration(c.random()*float64(delay))
	if failed, ok := errors.AsType[*Error](c.last); ok && failed.RetryAfter > 0 {
		asked := failed.RetryAfter + time.Duration(c.random()*float64(c.policy.BaseDelay))
		wait = max(wait, asked)
	}
	return wait
}

// failure is the error of the whole call: that of the last attempt, or ctx's cause.
func (c *retriedCall) failure(ctx context.Context) error {
	last := c.last
	if ended, ok := errors.AsType[*Ended](last); ok {
		last = ended.Err
	}
	if cause := context.Cause(ctx); cause != nil {
		if last != nil && !errors.Is(last, cause) {
			cause = fmt.Errorf("%w (last attempt: %w)", cause, last)
		}
		return c.ended(cause)
	}
	if failed, ok := errors.AsType[*Error](last); ok {
		counted := *failed
		if counted.Kind == RateLimit && !counted.Final {
			counted.Msg += "; " + askLess
		}
		counted.Usage, counted.Attempts = c.wasted, c.attempts
		return &counted
	}
	return c.ended(last)
}

// ended is an error of the whole call that is none of a server.
func (c *retriedCall) ended(err error) error {
	if c.wasted == (chat.Usage{}) || err == nil {
		return err
	}
	return &Ended{Usage: c.wasted, Err: err}
}
