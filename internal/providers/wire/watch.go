package wire

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// watchdog cancels a call that is silent for too long. Its methods are for the goroutine of the call.
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

// allow starts the wait anew, with a limit of its own and a cause for the case that it is passed. The pointer spares
// an allocation for each chunk of a stream.
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

// cause is why the watch ended the call, or nil.
func (w *watchdog) cause() error { return context.Cause(w.ctx) }

// replyTimeout is the cause when nothing came in time.
type replyTimeout struct{ limit time.Duration }

func (e replyTimeout) Error() string {
	return fmt.Sprintf("timeout: no reply in %s (request_timeout)", seconds(e.limit))
}

// idleTimeout is the cause when a stream stopped flowing.
type idleTimeout struct{ limit time.Duration }

func (e idleTimeout) Error() string {
	return fmt.Sprintf("timeout: the stream was silent for %s (stream_idle_timeout)", seconds(e.limit))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%gs", d.Seconds()) }
