package contain

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestCallGivesUp holds that code which does not end when it should is left behind.
func TestCallGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("over"))
		release, began := make(chan struct{}), time.Now()
		_, err := Call(ctx, "the check", func() (int, error) {
			<-release
			return 1, nil
		})
		if err == nil || err.Error() != "the check did not return: over" || time.Since(began) != Grace {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		if n, err := Call(ctx, "the check", func() (int, error) { return 2, nil }); n != 2 || err != nil {
			t.Errorf("one that returns at once: %d %v", n, err)
		}
		close(release)
	})
}

// TestDo holds that nothing which code does goes beyond an error that names it.
func TestDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		run  func() error
		want string
	}{
		{"an error", func() error { return errors.New("down") }, "down"},
		{"a panic", func() error { panic("boom") }, "the hook panicked: boom (contain_test.go:"},
		{"the end of the goroutine", func() error { runtime.Goexit(); return nil }, "the hook ended its goroutine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := Do(t.Context(), "the hook", c.run); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	if err := Do(t.Context(), "the hook", func() error { return nil }); err != nil {
		t.Error(err)
	}
}
