package fleet

import (
	"time"

	"github.com/arena-evals/arena/internal/plural"
)

// doubtful is how long the coordinator waits, after the broker lost a job, before it sends the job again. Until then
// each worker has sent at least once which trials it holds.
const doubtful = 2*Heartbeat + time.Second

// Lost must be called when the broker has lost its data and stores data again. The job of each awaited trial is sent
// again, unless a worker holds the trial and will store its outcome.
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
		c.Notify(plural.Of(n, "trial that waits is", "trials that wait are") +
			" asked for again, unless a worker says that it has it")
	}
}

// settleDoubts sends jobs again whose trials no worker holds.
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
