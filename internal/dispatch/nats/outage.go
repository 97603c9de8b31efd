package nats

import (
	"sync"
	"time"
)

// outage closes a client whose broker has been unreachable for too long. An eval that is running is finished first: it
// costs money, and the broker may be back in time to store its result.
type outage struct {
	limit time.Duration // 0: none

	mu           sync.Mutex
	timer        *time.Timer // nil: the broker is reachable
	generation   int         // of the timer: a timer may still fire after it was stopped
	onExpiry     func()
	measurements int // evaluations that are running
	expired      bool
}

// begin starts the timer, unless it runs. end is called when the limit has passed.
func (a *outage) begin(end func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.limit <= 0 || a.timer != nil {
		return
	}
	a.onExpiry = end
	a.startTimer()
}

func (a *outage) startTimer() {
	a.generation++
	round := a.generation
	a.timer = time.AfterFunc(a.limit, func() { a.expire(round) })
}

// end stops the timer.
func (a *outage) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
}

func (a *outage) expire(round int) {
	a.mu.Lock()
	end := a.timer != nil && a.generation == round && a.measurements == 0 && !a.expired
	a.expired = a.expired || end
	a.mu.Unlock()
	if end {
		a.onExpiry()
	}
}

// measuring holds the expiry back until done is called.
func (a *outage) measuring() (done func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.measurements++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.measurements--; a.measurements == 0 && a.timer != nil && !a.expired {
			a.timer.Stop()
			a.startTimer() // the broker has the whole limit again to store the results
		}
	}
}

// hasExpired reports whether the client was closed.
func (a *outage) hasExpired() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.expired
}
