package show

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/result"
)

const (
	maxFlaky = 20  // trials that are told of
	maxOld   = 300 // bytes of an earlier reply
)

// FlakyTrial is a trial that failed before and passes now, although nothing changed.
type FlakyTrial struct {
	ID      string
	Index   int // in Run.Briefs
	Earlier []string
}

// Flaky reads the flaky trials of a run; more counts those beyond what a report tells of.
func Flaky(run *result.Run) (told []FlakyTrial, more int, err error) {
	if run.Summary.Flaky == 0 {
		return nil, 0, nil
	}
	for i := range run.Briefs {
		b := &run.Briefs[i]
		if !b.Flaky {
			continue
		}
		if len(told) == maxFlaky {
			more++
			continue
		}
		t, err := run.Trials.Trial(i)
		if err != nil {
			return nil, 0, fmt.Errorf("trial %s: %w", b.ID, err)
		}
		told = append(told, FlakyTrial{Line(b.ID), i, Earlier(t)})
	}
	return told, more, nil
}

// Earlier tells of the earlier failures of a trial, a line each.
func Earlier(t *result.Trial) []string {
	lines := make([]string, len(t.Earlier))
	for i := range t.Earlier {
		lines[i] = earlier(&t.Earlier[i])
	}
	return lines
}

func earlier(a *result.Attempt) string {
	text := "failed before"
	if len(a.Why) > 0 {
		text += ": " + Line(strings.Join(a.Why, "; "))
	}
	if a.Reply != "" {
		text += fmt.Sprintf("; the reply was %q", Clip(Line(a.Reply), maxOld))
	}
	return text
}
