package nats

import (
	"sync"
	"time"
)

// absence ends a client whose broker has been away for too long. What is measured meanwhile is finished first: it was
// paid for, and the broker may be back in time to store it.
type absence struct {
	limit time.Duration // 0: none

	mu    sync.Mutex
	timer *time.Timer // nil: the broker is there
	end   func()
	busy  int // what is measured
	over  bool
}

// begin counts from now on; end is called when it has been too long.
func (a *absence) begin(end func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.limit <= 0 || a.timer != nil {
		return
	}
	a.end = end
	a.arm()
}

func (a *absence) arm() {
	var timer *time.Timer
	timer = time.AfterFunc(a.limit, func() { a.expire(timer) })
	a.timer = timer
}

// back stops counting.
func (a *absence) back() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
}

func (a *absence) expire(timer *time.Timer) {
	a.mu.Lock()
	end := a.timer == timer && a.busy == 0 && !a.over
	a.over = a.over || end
	a.mu.Unlock()
	if end {
		a.end()
	}
}

// measuring says that something is measured until the function that it returns is called.
func (a *absence) measuring() (done func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.busy++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.busy--; a.busy == 0 && a.timer != nil && !a.over {
			a.timer.Stop()
			a.arm() // the broker has the whole time again to take what was measured
		}
	}
}

// isOver reports whether the client was ended.
func (a *absence) isOver() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.over
}
