package result

import (
	"fmt"
	"strings"
	"testing"
)

// TestDecided: what judged several turns of one of the scenario counts once, by its worst.
func TestDecided(t *testing.T) {
	t.Parallel()
	turn := func(index, script int, statuses ...Status) Turn {
		made := Turn{Index: index}
		made.From(script)
		for _, s := range statuses {
			made.Assertions = append(made.Assertions, Verdict{Type: "t", Status: s})
		}
		return made
	}
	trial := &Trial{
		Turns: []Turn{
			turn(0, 0, Passed), turn(1, 1, Passed, Skipped), turn(2, 1, Failed, Passed), turn(3, 1, Errored, Skipped),
			turn(4, 2, Skipped), turn(5, 3, Cancelled),
		},
		Conversation: []Verdict{{Status: Passed}},
	}
	var got []string
	trial.decided(func(script, i int, v *Verdict) { got = append(got, fmt.Sprintf("%d.%d %s", script, i, v.Status)) })
	want := "0.0 passed, 1.0 failed, 1.1 passed, 2.0 skipped, 3.0 cancelled, -1.0 passed"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
