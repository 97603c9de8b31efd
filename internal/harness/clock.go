package harness

import (
	"time"

	"github.com/arena-evals/arena/internal/result"
)

// eventClock returns the times of events about the run. They are never before those of earlier events.
type eventClock struct {
	now    func() time.Time
	latest time.Time
}

func (c *eventClock) observe(e result.Event) {
	if at := e.Place().Time; at.After(c.latest) {
		c.latest = at
	}
}

func (c *eventClock) at() result.At {
	now := c.now()
	if now.Before(c.latest) {
		now = c.latest
	}
	return result.At{Time: now, Turn: result.NoTurn}
}
