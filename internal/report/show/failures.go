package show

import (
	"fmt"

	"github.com/arena-evals/arena/internal/result"
)

// Failures groups the trials that failed or had an error by Signature. Each element holds the indexes in Run.Briefs of
// trials that failed in the same way. Elements and indexes are in plan order. Failures for which the run is not red are
// left out: their group passed or may be undecided, or they are excused. The trials are read one at a time and not
// kept.
func Failures(run *result.Run) ([][]int, error) {
	var all [][]int
	known := map[string]int{}
	for i, b := range run.Briefs.All() {
		if !isRed(&b) {
			continue
		}
		t, err := run.Trials.Trial(i)
		if err != nil {
			return nil, fmt.Errorf("trial %s: %w", b.ID, err)
		}
		signature := Signature(t)
		at, ok := known[signature]
		if !ok {
			at = len(all)
			known[signature], all = at, append(all, nil)
		}
		all[at] = append(all[at], i)
	}
	return all, nil
}

// isRed reports whether a trial failed or had an error and is not excused.
func isRed(b *result.Brief) bool {
	switch b.Status {
	case result.Passed, result.Skipped, result.Cancelled:
		return false
	default: // Failed, Errored; and Unset, which never passes
		return !b.Tolerated && !b.Outvoted && b.Excuse == ""
	}
}

// JudgesLeftOpen reports whether a trial is an error only because judges could not judge, so that judging it again
// makes up for it, without another conversation.
func JudgesLeftOpen(t *result.Trial) bool {
	open, others := false, t.Status != result.Errored || t.Error != ""
	t.Checks(func(_, _ int, v *result.Verdict) {
		switch {
		case v.Status != result.Errored:
		case len(v.Judgements) > 0:
			open = true
		default:
			others = true
		}
	})
	return open && !others
}
