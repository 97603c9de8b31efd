package result

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Attempt is an earlier run of a trial with the same fingerprint, which failed.
type Attempt struct {
	Started time.Time `json:"started"` // of the run
	Reply   string    `json:"reply"`   // the last one of the assistant
	Why     []string  `json:"why"`     // the failed checks, one a line
}

// AttemptOf returns the record of a failed trial that is run again.
func AttemptOf(t *Trial, started time.Time) Attempt {
	a := Attempt{Started: started, Why: []string{}}
	for i := range t.Turns {
		if said := t.Turns[i].Assistant; said != "" {
			a.Reply = said
		}
	}
	failed := func(turn int, name, message, explanation string) {
		where := "conversation"
		if turn >= 0 {
			where = fmt.Sprintf("turn %d", turn+1)
		}
		words := slices.DeleteFunc([]string{where, name, message, explanation}, func(w string) bool { return w == "" })
		a.Why = append(a.Why, strings.Join(words, ": "))
	}
	t.Checks(func(turn, _ int, v *Verdict) {
		if v.Status == Failed {
			failed(turn, v.Type, v.Message, v.Explanation)
		}
	})
	for i := range t.Evals {
		if e := &t.Evals[i]; e.Gates() && e.Status == Failed {
			failed(e.Turn, e.ID, e.Step, e.Explanation)
		}
	}
	return a
}

// CutShort reports whether the run ended before the trial did, or before it was recorded. Such a trial has no final
// verdict, even where a check failed.
func (t *Trial) CutShort() bool {
	return t.Status == Cancelled || t.Skip != "" && t.Status != Skipped || t.Unrecorded && t.Status == Errored
}
