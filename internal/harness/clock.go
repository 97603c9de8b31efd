package harness

import (
	"time"

	"github.com/arena-evals/arena/internal/result"
)

// eventClock gives the times for events of the run itself. They are never earlier than those of events before.
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
