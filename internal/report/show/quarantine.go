package show

import (
	"fmt"

	"github.com/arena-evals/arena/internal/result"
)

// Quarantines describes the outcome of each scenario in quarantine, and names those whose quarantine has ended and that
// make the run red.
func Quarantines(run *result.Run) (lines []Remark) {
	for i := range run.Quarantines {
		q := &run.Quarantines[i]
		status, text := result.Skipped, Line(q.String())
		if q.Over {
			status = result.Failed
			text += "; take it out, or say until when it goes on: the run is red by it"
		}
		lines = append(lines, Remark{"quarantine", status, fmt.Sprintf("%s   %s of %s passed; %s   %s", Line(q.Scenario),
			Count(q.Trials.Passed), Plural(q.Trials.Trials, "trial"), text, Position(q.Position))})
	}
	return lines
}

// Overdue says that an ended quarantine makes the run red.
func Overdue(q *result.Quarantine) string {
	return fmt.Sprintf("the %s, and makes the run red: take it out of %s, or say until when it goes on", Line(q.String()),
		Position(q.Position))
}

// quarantineNotes count the scenarios in quarantine, and those whose quarantine is over.
func quarantineNotes(run *result.Run) (all []string) {
	over := len(run.Overdue())
	if n := len(run.Quarantines) - over; n > 0 {
		all = append(all, Plural(n, "scenario")+" in quarantine")
	}
	if over > 0 {
		all = append(all, Plural(over, "quarantine")+" over")
	}
	return all
}
