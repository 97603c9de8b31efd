package runner

import (
	"context"
	"time"
)

// clock measures a trial. With a simulated provider it stands still and moves only by the latencies that are
// simulated, with a cassette by those that are recorded; everything measured is then the same in every run.
type clock struct {
	now       func() time.Time
	simulated bool
	waits     bool // sleep takes its time also when the clock stands still
	began     time.Time
	virtual   time.Duration
}

func (c *clock) start() { c.began = c.now() }

// advance adds simulated time; on a real clock the time has passed by itself.
func (c *clock) advance(d time.Duration) { c.virtual += d }

// elapsed is the time since start.
func (c *clock) elapsed() time.Duration {
	if c.simulated {
		return c.virtual
	}
	return c.now().Sub(c.began)
}

func (c *clock) elapsedMS() float64 { return milliseconds(c.elapsed()) }

// sleep waits, or pretends to.
func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	if c.simulated {
		c.advance(d)
		if !c.waits {
			return context.Cause(ctx)
		}
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// milliseconds rounds to a microsecond: what is below is noise.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}
