package nats

import (
	"strings"
	"testing"
	"time"
)

// TestSlotQueue: who came first is first, and a worker gets no more than there is.
func TestSlotQueue(t *testing.T) {
	t.Parallel()
	const most = 2
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	until := map[string]time.Time{
		"a": now.Add(time.Second), "b": now.Add(time.Second), "me": now.Add(time.Second),
		"gone": now.Add(-time.Second), "far": now.Add(24 * time.Hour),
	}
	for name, c := range map[string]struct {
		queue   string
		want    slotsWanted
		keep    bool // nobody is dropped
		then    string
		granted int
	}{
		"an empty one":              {"", slotsWanted{waiting: 3}, false, "me me me", 2},
		"behind others":             {"a b", slotsWanted{waiting: 1}, false, "a b me", 0},
		"one is free":               {"a", slotsWanted{waiting: 2}, false, "a me me", 1},
		"another one went":          {"a me b", slotsWanted{waiting: 1}, false, "a me b", 1},
		"the end of one":            {"me b a", slotsWanted{freed: 1}, false, "b a", 0},
		"behind others once more":   {"me b a", slotsWanted{freed: 1, waiting: 1}, false, "b a me", 0},
		"who waited has left":       {"me a me me", slotsWanted{running: 1}, false, "me a", 0},
		"one of two has left":       {"me a me me", slotsWanted{running: 1, waiting: 1}, false, "me a me", 0},
		"nothing new":               {"me a", slotsWanted{running: 1}, false, "me a", 0},
		"a dead one":                {"gone gone me", slotsWanted{waiting: 1}, false, "me", 1},
		"a dead one of an outage":   {"gone gone me", slotsWanted{waiting: 1}, true, "gone gone me", 0},
		"one of another time":       {"far far me", slotsWanted{waiting: 1}, false, "me", 1},
		"a stranger":                {"who a", slotsWanted{waiting: 1}, true, "a me", 1},
		"lost with the disk":        {"", slotsWanted{running: 2, waiting: 1}, false, "me me me", 0},
		"lost, and others came":     {"a", slotsWanted{running: 2}, false, "me me a", 0},
		"this one, silent for long": {"me a", slotsWanted{running: 1}, false, "me a", 0},
	} {
		q := slotQueue{strings.Fields(c.queue), until}
		next, granted := q.settle("me", c.want, most, now, !c.keep)
		if got := strings.Join(next.Queue, " "); got != c.then || granted != c.granted {
			t.Errorf("%s: %q with %d slots, want %q with %d", name, got, granted, c.then, c.granted)
		}
		if next.has("me") && !next.Until["me"].Equal(now.Add(slotHeld)) {
			t.Errorf("%s: held until %s", name, next.Until["me"])
		}
	}
	full := (&slotQueue{}).settled("me", slotsWanted{waiting: 10 * mostQueued}, most, now)
	if len(full.Queue) != mostQueued {
		t.Errorf("%d stand in the queue", len(full.Queue))
	}
}

func (q *slotQueue) settled(me string, want slotsWanted, most int, now time.Time) slotQueue {
	next, _ := q.settle(me, want, most, now, true)
	return next
}
