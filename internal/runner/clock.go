package runner

import (
	"context"
	"time"

	"github.com/arena-evals/arena/internal/pause"
)

// clock measures the time of a trial. With a simulated provider it advances only by simulated latencies, with a
// cassette only by recorded ones, so that every run measures the same.
type clock struct {
	now       func() time.Time
	simulated bool
	waits     bool // sleep waits even though the clock is simulated
	began     time.Time
	virtual   time.Duration
	kept      time.Duration // what replies from a cache took when they were paid for, beyond what they take now
}

func (c *clock) start() { c.began = c.now() }

// advance adds simulated time. It does not change what a real clock measures.
func (c *clock) advance(d time.Duration) { c.virtual += d }

// elapsed is the time since start.
func (c *clock) elapsed() time.Duration {
	if c.simulated {
		return c.virtual
	}
	return c.now().Sub(c.began) + c.kept
}

// credit adds to a real clock what a kept reply took when it was paid for: a slow agent does not become a fast one when
// a cache answers for it. now is how long the cache took.
func (c *clock) credit(then, now time.Duration) { c.kept += max(then-now, 0) }

func (c *clock) elapsedMS() float64 { return milliseconds(c.elapsed()) }

// sleep waits for d. A simulated clock only advances, unless waits is set.
func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	if c.simulated {
		c.advance(d)
		if !c.waits {
			return context.Cause(ctx)
		}
	}
	return pause.For(ctx, d)
}

// milliseconds rounds to microseconds.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}
