package nats

import (
	"testing"
	"time"
)

// TestNextFree: turns go on from where they are, and the clock of the broker may be set.
func TestNextFree(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	for name, c := range map[string]struct{ next, stored, now, want time.Time }{
		"nobody waits":              {at(0), at(0), at(5), at(5)},
		"others wait":               {at(7), at(0), at(5), at(7)},
		"set back by an hour":       {at(7), at(0), at(-3600), at(-3593)},
		"set forward":               {at(7), at(0), at(3600), at(3600)},
		"seen a moment inaccurate":  {at(7), at(5), at(5).Add(-time.Millisecond), at(7)},
		"far behind after the rest": {at(-100), at(-100), at(0), at(0)},
	} {
		if got := nextFree(c.next, c.stored, c.now); !got.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
