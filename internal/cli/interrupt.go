package cli

import (
	"context"

	"github.com/arena-evals/arena/internal/result"
)

// interruptible gives a context that ends with a cause at the first interrupt, of which told hears; the second ends the
// process. The returned function stops listening and says whether there was one.
func (a *App) interruptible(
	ctx context.Context, cause error, told func(),
) (interruptible context.Context, interrupted func() bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals, stop := a.Interrupts()
	done, seen := make(chan struct{}), make(chan bool, 1)
	go func() {
		interrupted := false
		defer func() { seen <- interrupted }()
		for {
			select {
			case <-done:
				return
			case <-signals:
				if interrupted {
					a.Exit(result.ExitInterrupted)
				}
				interrupted = true
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
