package show

import (
	"fmt"

	"github.com/arena-evals/arena/internal/result"
)

const (
	maxRefusing = 20  // trials that are listed
	maxRefusals = 5   // refused transitions of one trial that are listed
	maxRefusal  = 300 // bytes of one
)

// RefusedTransitions counts the transitions that were refused in a run; nil when none was. A trial can pass all the
// same.
func RefusedTransitions(run *result.Run) []string {
	if run.Summary.Refused == 0 {
		return nil
	}
	return []string{Plural(run.Summary.Refused, "transition") + " refused"}
}

// Refusals describes the refused transitions of a trial, a line each: "turn 1: Solved from intake: the reason".
func Refusals(t *result.Trial) (lines []string) {
	if t.Workflow == nil {
		return nil
	}
	for i, r := range t.Workflow.Refused {
		if i == maxRefusals {
			return append(lines, fmt.Sprintf("… and %s more", Count(len(t.Workflow.Refused)-i)))
		}
		what := Line(r.Event)
		if what == "" {
			what = "(no event)"
		}
		lines = append(lines, Clip(TurnLabel(r.Turn)+": "+what+" from "+Line(r.From)+": "+Line(r.Reason), maxRefusal))
	}
	return lines
}

// RefusingTrial is a trial in which transitions were refused.
type RefusingTrial struct {
	ID    string
	Lines []string // see Refusals
}

// Refusing reads the trials with refused transitions, 20 at most. more is the number of the others.
func Refusing(run *result.Run) (refusing []RefusingTrial, more int, err error) {
	if run.Summary.Refused == 0 {
		return nil, 0, nil
	}
	for i, b := range run.Briefs.All() {
		if b.Refused == 0 {
			continue
		}
		if len(refusing) == maxRefusing {
			more++
			continue
		}
		t, err := run.Trials.Trial(i)
		if err != nil {
			return nil, 0, fmt.Errorf("trial %s: %w", b.ID, err)
		}
		refusing = append(refusing, RefusingTrial{Line(b.ID), Refusals(t)})
	}
	return refusing, more, nil
}
