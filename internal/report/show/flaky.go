package show

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/result"
)

const (
	maxFlaky        = 20  // trials that are listed
	maxEarlierReply = 300 // bytes of an earlier reply
)

// FlakyTrial is a trial that failed in an earlier run and passes now, although nothing changed.
type FlakyTrial struct {
	ID      string
	Index   int // in Run.Briefs
	Earlier []string
}

// Flaky reads the flaky trials of a run, 20 at most. more is the number of the others.
func Flaky(run *result.Run) (flaky []FlakyTrial, more int, err error) {
	if run.Summary.Flaky == 0 {
		return nil, 0, nil
	}
	for i, b := range run.Briefs.All() {
		if !b.Flaky {
			continue
		}
		if len(flaky) == maxFlaky {
			more++
			continue
		}
		t, err := run.Trials.Trial(i)
		if err != nil {
			return nil, 0, fmt.Errorf("trial %s: %w", b.ID, err)
		}
		flaky = append(flaky, FlakyTrial{Line(b.ID), i, EarlierFailures(t)})
	}
	return flaky, more, nil
}

// EarlierFailures describes the failures of a trial in earlier runs, a line each.
func EarlierFailures(t *result.Trial) []string {
	lines := make([]string, len(t.Earlier))
	for i := range t.Earlier {
		lines[i] = earlierFailure(&t.Earlier[i])
	}
	return lines
}

func earlierFailure(a *result.Attempt) string {
	text := "failed before"
	if len(a.Why) > 0 {
		text += ": " + Line(strings.Join(a.Why, "; "))
	}
	if a.Reply != "" {
		text += fmt.Sprintf("; the reply was %q", Clip(Line(a.Reply), maxEarlierReply))
	}
	return text
}
