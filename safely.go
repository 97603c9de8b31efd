package arena

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/arena-evals/arena/internal/checks"
)

// grace is how long code of the program that uses arena may go on once it was told to stop.
const grace = 5 * time.Second

// call runs code of the program that uses arena. Whatever it does ends here: a panic, the end of its goroutine, and
// what still runs when ctx has long been over become errors that begin with what.
func call[T any](ctx context.Context, what string, run func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1) // so that one who comes too late is not stuck
	go func() {
		var o outcome
		o.err = fmt.Errorf("%s %w", what, errEnded)
		defer func() {
			if p := recover(); p != nil {
				o.err = fmt.Errorf("%s panicked: %v (%s)", what, p, checks.PanicSite())
			}
			done <- o
		}()
		o.value, o.err = run()
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-late.C:
		var none T
		return none, fmt.Errorf("%s did not return: %w", what, context.Cause(ctx))
	}
}

var errEnded = errors.New("ended its goroutine, as t.FailNow and runtime.Goexit do; return an error instead")

// call0 is call for code that has nothing to return but an error.
func call0(ctx context.Context, what string, run func() error) error {
	_, err := call(ctx, what, func() (struct{}, error) { return struct{}{}, run() })
	return err
}
