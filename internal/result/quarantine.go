package result

import (
	"fmt"
	"time"

	"github.com/arena-evals/arena/internal/diag"
)

// Quarantine says that a scenario does not count until a day. From the next day on it counts, and the run is red until
// the quarantine is removed from the file.
type Quarantine struct {
	Scenario string   `json:"scenario"`
	Position diag.Pos `json:"position"`
	Until    string   `json:"until"` // its last day in UTC, such as 2027-01-31
	Reason   string   `json:"reason"`
	Owner    string   `json:"owner,omitempty"`
	// Over says that the run began after that day.
	Over bool `json:"over,omitempty"`
	// Trials counts the trials of the scenario by status.
	Trials Counts `json:"trials"`
}

// String describes it in one line: "in quarantine until 2027-01-31: the refund service is down (mia)".
func (q *Quarantine) String() string {
	text := fmt.Sprintf("in quarantine until %s: %s", q.Until, q.Reason)
	if q.Over {
		text = fmt.Sprintf("quarantine ended on %s: %s", q.Until, q.Reason)
	}
	if q.Owner != "" {
		text += " (" + q.Owner + ")"
	}
	return text
}

// QuarantineOver reports whether a quarantine with this last day has ended at a time.
func QuarantineOver(until string, at time.Time) bool {
	last, err := time.Parse(time.DateOnly, until)
	return err != nil || !at.UTC().Before(last.AddDate(0, 0, 1))
}

// isolate sets the quarantine of each trial, and counts the trials of each quarantine. It drops quarantines without
// trials.
func (r *Run) isolate() {
	type key struct{ file, scenario string }
	at := make(map[key]int, len(r.Quarantines))
	all := make([]Quarantine, len(r.Quarantines))
	for i, q := range r.Quarantines {
		q.Over, q.Trials = QuarantineOver(q.Until, r.Started), Counts{}
		all[i], at[key{q.Position.File, q.Scenario}] = q, i
	}
	for i, b := range r.Briefs.All() {
		if n, found := at[key{b.File, b.Scenario}]; found && !b.Gone {
			all[n].Trials.Count(b.Status)
			b.Quarantine = &all[n]
			r.Briefs.judge(i, &b)
		}
	}
	r.Quarantines = nil
	for i := range all {
		if all[i].Trials.Trials > 0 {
			r.Quarantines = append(r.Quarantines, all[i])
		}
	}
}

// Quarantined reports whether the trial does not count because its scenario is in quarantine.
func (b *Brief) Quarantined() bool { return b.Quarantine != nil && !b.Quarantine.Over }

// Overdue are the quarantines that have ended. Each makes the run red.
func (r *Run) Overdue() (over []*Quarantine) {
	for i := range r.Quarantines {
		if r.Quarantines[i].Over {
			over = append(over, &r.Quarantines[i])
		}
	}
	return over
}
