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
}

func (c *clock) start() { c.began = c.now() }

// advance adds simulated time. It does not change what a real clock measures.
func (c *clock) advance(d time.Duration) { c.virtual += d }

// elapsed is the time since start.
func (c *clock) elapsed() time.Duration {
	if c.simulated {
		return c.virtual
	}
	return c.now().Sub(c.began)
}

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
