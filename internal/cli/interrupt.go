package cli

import (
	"context"
	"time"

	"github.com/arena-evals/arena/internal/result"
)

// oneWish is how long more interrupts are taken for the first one: timeout(1) and other supervisors send theirs to the
// program and to its process group, so that it comes twice within a moment.
const oneWish = 300 * time.Millisecond

// interruptible gives a context that ends with a cause at the first interrupt, of which told hears; the second, where
// it comes later than oneWish, ends the process. The returned function stops listening and says whether there was one.
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
		var settled <-chan time.Time // once the first interrupt is settled, nil again
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
				interrupted, settled = true, after(oneWish)
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
