package cli

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

// TestInterruptsOfOneMomentAreOneWish: two signals of a supervisor at the same moment count as one, so that the reports
// are written. A later one ends the process.
func TestInterruptsOfOneMomentAreOneWish(t *testing.T) {
	t.Parallel()
	signals, moment, ended := make(chan os.Signal), make(chan time.Time), make(chan int, 9)
	app := &App{
		Interrupts: func() (<-chan os.Signal, func()) { return signals, func() {} },
		Exit:       func(code int) { ended <- code },
		after:      func(time.Duration) <-chan time.Time { return moment },
	}
	cause, told := errors.New("stopped"), 0
	ctx, interrupted := app.interruptible(t.Context(), cause, func() { told++ })
	for range 3 {
		signals <- os.Interrupt
	}
	<-ctx.Done()
	moment <- time.Time{}
	if len(ended) > 0 {
		t.Errorf("another interrupt of the same moment ended the process with %d", <-ended)
	}
	signals <- os.Interrupt
	if code := <-ended; code != 130 {
		t.Errorf("exit status %d, want 130", code)
	}
	if !interrupted() || told != 1 || !errors.Is(context.Cause(ctx), cause) {
		t.Errorf("told %d times, cause %v", told, context.Cause(ctx))
	}
}
