package wire

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// watchdog cancels a call that is silent for too long. Only the goroutine of the call may use it.
type watchdog struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	why    atomic.Pointer[error]
}

func newWatchdog(parent context.Context, limit time.Duration, why error) *watchdog {
	w := &watchdog{}
	w.ctx, w.cancel = context.WithCancelCause(parent)
	w.why.Store(&why) // before the timer runs
	w.timer = time.AfterFunc(limit, func() { w.cancel(*w.why.Load()) })
	return w
}

// allow restarts the wait with a new limit and a new cause. why is a pointer to avoid an allocation for each chunk.
func (w *watchdog) allow(limit time.Duration, why *error) {
	w.timer.Stop()
	w.why.Store(why)
	w.timer.Reset(limit)
}

// pause stops the clock while the call is not waiting for the server.
func (w *watchdog) pause() { w.timer.Stop() }

func (w *watchdog) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// cause is the reason why the watchdog ended the call, or nil.
func (w *watchdog) cause() error { return context.Cause(w.ctx) }

// replyTimeout is the cause when no reply came in time.
type replyTimeout struct{ limit time.Duration }

func (e replyTimeout) Error() string {
	return fmt.Sprintf("timeout: no reply in %s (request_timeout)", seconds(e.limit))
}

// idleTimeout is the cause when a stream became silent.
type idleTimeout struct{ limit time.Duration }

func (e idleTimeout) Error() string {
	return fmt.Sprintf("timeout: the stream was silent for %s (stream_idle_timeout)", seconds(e.limit))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%gs", d.Seconds()) }
