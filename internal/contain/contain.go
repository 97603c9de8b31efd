// Package contain runs code that is not arena's, such as a check, a judge or a hook of a Go program: a panic or an
// ended goroutine becomes an error.
package contain

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Grace is how long such code may go on once it was told to stop.
const Grace = 5 * time.Second

// Call runs code under a name, such as "the judge". A panic, the end of its goroutine, and that it still runs when ctx
// has been over for [Grace] become errors that begin with the name. Code that does not return is left behind.
func Call[T any](ctx context.Context, name string, run func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1) // so that one who comes too late is not stuck
	go func() {
		var o outcome
		o.err = fmt.Errorf("%s %w", name, errEnded)
		defer func() {
			if p := recover(); p != nil {
				o.err = Panicked(name, p)
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
	late := time.NewTimer(Grace)
	defer late.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-late.C:
		var none T
		return none, fmt.Errorf("%s did not return: %w", name, context.Cause(ctx))
	}
}

var errEnded = errors.New("ended its goroutine, as t.FailNow and runtime.Goexit do; return an error instead")

// Do is [Call] for code that returns nothing but an error.
func Do(ctx context.Context, name string, run func() error) error {
	_, err := Call(ctx, name, func() (struct{}, error) { return struct{}{}, run() })
	return err
}

// Panicked is the error for a value that was recovered in the calling function. It names the innermost places of the
// panic, without the paths of the machine that built arena.
func Panicked(name string, recovered any) error {
	return fmt.Errorf("%s panicked: %v (%s)", name, recovered, site())
}

func site() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	var places []string
	for thrown := false; len(places) < 3; {
		f, more := frames.Next()
		if thrown && !strings.HasPrefix(f.Function, "runtime.") {
			places = append(places, fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line))
		}
		thrown = thrown || f.Function == "runtime.gopanic"
		if !more {
			break
		}
	}
	return strings.Join(places, " < ")
}
