package pause_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/arena-evals/arena/internal/pause"
)

func TestFor(t *testing.T) {
	t.Parallel()
	over := errors.New("over")
	for _, c := range []struct {
		name   string
		wait   time.Duration
		end    time.Duration // when the context ends; 0 before the wait, negative never
		want   error
		passed time.Duration
	}{
		{"the whole time", time.Hour, -1, nil, time.Hour},
		{"until the context ends", time.Hour, time.Minute, over, time.Minute},
		{"not at all, the context has ended", time.Hour, 0, over, 0},
		{"nothing", 0, -1, nil, 0},
		{"nothing, and the context has ended", 0, 0, over, 0},
		{"less than nothing", -time.Hour, -1, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancelCause(t.Context())
				defer end(nil)
				switch {
				case c.end == 0:
					end(over)
				case c.end > 0:
					defer time.AfterFunc(c.end, func() { end(over) }).Stop()
				}
				began := time.Now()
				if err := pause.For(ctx, c.wait); !errors.Is(err, c.want) {
					t.Errorf("error %v, want %v", err, c.want)
				}
				if passed := time.Since(began); passed != c.passed {
					t.Errorf("%s passed, want %s", passed, c.passed)
				}
			})
		})
	}
}
