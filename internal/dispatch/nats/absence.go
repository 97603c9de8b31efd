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
	round int         // of the timer: one that is stopped may still fire
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
	a.round++
	round := a.round
	a.timer = time.AfterFunc(a.limit, func() { a.expire(round) })
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

func (a *absence) expire(round int) {
	a.mu.Lock()
	end := a.timer != nil && a.round == round && a.busy == 0 && !a.over
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
