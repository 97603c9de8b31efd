package show

import (
	"fmt"

	"github.com/arena-evals/arena/internal/result"
)

// Failures sorts the trials that failed or broke by how they did: each element is the indexes in Run.Briefs of trials
// that did so alike. Elements and indexes are in plan order. Failures that their group tolerates are left out. The
// trials are read one at a time and not kept.
func Failures(run *result.Run) ([][]int, error) {
	var all [][]int
	known := map[string]int{}
	for i := range run.Briefs {
		b := &run.Briefs[i]
		if !isRed(b) {
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

// isRed tells the trials that failed or broke from those that passed, were tolerated, skipped or stopped.
func isRed(b *result.Brief) bool {
	switch b.Status {
	case result.Passed, result.Skipped, result.Cancelled:
		return false
	default: // Failed, Errored; and Unset, which never passes
		return !b.Tolerated
	}
}
