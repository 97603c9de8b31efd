package fleet

import (
	"time"

	"github.com/arena-evals/arena/internal/plural"
)

// doubtful is after which time without a word of it a trial is asked for again whose job the broker has lost: until
// then each worker has said at least once what it has in hand.
const doubtful = 2*Heartbeat + time.Second

// Lost is to be called when the broker has lost what it held, and holds again what is stored there from now on. Each
// trial that is waited for is asked for again, unless a worker has it in hand and so will store what comes of it.
func (c *Coordinator) Lost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	for _, t := range c.waiting {
		if t.doubt.IsZero() {
			c.doubted++
		}
		t.doubt = now
	}
	if n := len(c.waiting); n > 0 {
		c.Tell(plural.Of(n, "trial that waits is", "trials that wait are") +
			" asked for again, unless a worker says that it has it")
	}
}

// settleDoubts asks again for the trials that nobody has in hand.
func (c *Coordinator) settleDoubts(now time.Time) {
	if c.doubted == 0 {
		return
	}
	held := map[int]bool{}
	for _, w := range c.workers {
		for _, index := range w.Holds {
			held[index] = true
		}
	}
	c.doubted = 0
	for index, t := range c.waiting {
		switch {
		case t.doubt.IsZero():
		case held[index] || now.Sub(t.doubt) < doubtful:
			c.doubted++
		default:
			t.doubt = time.Time{}
			select {
			case t.again <- struct{}{}:
			default: // it is about to be asked for
			}
		}
	}
}
