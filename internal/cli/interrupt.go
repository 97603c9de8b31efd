package cli

import (
	"context"
	"time"

	"github.com/arena-evals/arena/internal/result"
)

// interruptBurst is how long further interrupts count as the first one: timeout(1) and other supervisors signal both
// the program and its process group, so that it gets two at once.
const interruptBurst = 300 * time.Millisecond

// interruptible returns a context that ends with cause at the first interrupt, after a call of told. A second
// interrupt, after interruptBurst, ends the process. The returned function stops listening and reports whether there
// was an interrupt.
func (a *App) interruptible(
	ctx context.Context, cause error, told func(),
) (interruptible context.Context, interrupted func() bool) {
	after := time.After
	if a.after != nil {
		after = a.after
	}
	ctx, cancel := context.WithCancelCause(ctx)
	signals, stop := a.Interrupts()
	done, seen := make(chan struct{}), make(chan bool, 1)
	go func() {
		interrupted := false
		var settled <-chan time.Time // nil once interruptBurst is over
		defer func() { seen <- interrupted }()
		for {
			select {
			case <-done:
				return
			case <-settled:
				settled = nil
			case <-signals:
				if interrupted {
					if settled == nil {
						a.Exit(result.ExitInterrupted)
					}
					continue
				}
				interrupted, settled = true, after(interruptBurst)
				told()
				cancel(cause)
			}
		}
	}()
	return ctx, func() bool {
		close(done)
		interrupted := <-seen
		stop()
		cancel(nil)
		return interrupted
	}
}
