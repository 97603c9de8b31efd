package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// keepUnplanned keeps trials of the last run that are not in the plan any more. They stay in the reports, so that no
// failure vanishes, but they decide nothing. It refuses filters of the command line that hide trials.
func (f *runFlags) keepUnplanned(r *resumption, plan *runner.Plan, suite *scenario.Suite) error {
	gone := r.missing(plan)
	if len(gone) == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, p := range suite.Projects {
		for _, s := range p.Scenarios {
			known[s.ID] = true
		}
	}
	excused := map[int]bool{}
	for _, b := range r.ledger.Run.Briefs.All() {
		excused[b.Index] = b.Tolerated
	}
	var ids, hidden []string
	for k, i := range gone {
		e := r.ledger.Current[i]
		t, err := r.ledger.Trial(e)
		if err != nil {
			return err
		}
		ids = append(ids, e.ID)
		if known[t.Scenario] {
			hidden = append(hidden, e.ID)
		}
		if e.CutShort || e.Status != result.Passed && e.Status != result.Skipped && !excused[i] {
			r.vanishedFailures = append(r.vanishedFailures, e.ID)
		}
		e.Unplan(excused[i])
		r.kept[plan.Len()+k] = e
	}
	if filters := f.narrowing(f.given); len(filters) > 0 && len(hidden) > 0 {
		return f.refuseNarrow(&r.ledger.Header, filters, hidden)
	}
	r.unplanned = len(gone)
	r.warnings = append(r.warnings,
		fmt.Sprintf("%s not in the plan any more; the results of the last run stay in the reports: %s",
			plural.Of(len(ids), "trial is", "trials are"), someIDs(ids)))
	return nil
}

// missing are the trials of the last run, by index, that are neither kept nor run again under any number. A repetition
// is missing if another one is kept in its place.
func (r *resumption) missing(plan *runner.Plan) (gone []int) {
	stays, there, asked := map[*result.Entry]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range r.ledger.Current {
		asked[strings.TrimSuffix(e.ID, "#1")] = true
	}
	for _, e := range r.kept {
		stays[e] = true
	}
	var numbers []int
	for _, e := range r.ledger.Current {
		numbers = append(numbers, e.Number)
	}
	slices.Sort(numbers)
	for t := range plan.Numbered(slices.Compact(numbers)) {
		id := strings.TrimSuffix(t.ID(), "#1")
		if e := r.kept[t.Index]; !asked[id] {
			continue
		} else if e == nil || strings.TrimSuffix(e.ID, "#1") == id {
			there[id] = true
		}
	}
	for _, i := range slices.Sorted(maps.Keys(r.ledger.Current)) {
		e := r.ledger.Current[i]
		if !stays[e] && !there[strings.TrimSuffix(e.ID, "#1")] && !(e.Fingerprint != "" && r.rerunPrints[e.Fingerprint]) {
			gone = append(gone, i)
		}
	}
	return gone
}

func (f *runFlags) refuseNarrow(h *result.JournalHeader, filters, ids []string) error {
	whole := []string{"arena", "run", f.resumeFlag()}
	if len(h.Resume) > 3 {
		whole = append(whole, h.Resume[3:]...)
	}
	return fmt.Errorf("%s: with %s the plan leaves out %s of the last run, whose results the reports would lose: %s\n"+
		"go on with the whole run: %s\nto run only a part, leave %s out and name another folder with -o",
		f.resumeFlag(), strings.Join(filters, " and "), plural.Of(len(ids), "trial", "trials"), someIDs(ids), quoted(whole),
		f.resumeFlag())
}

const maxNamed = 10

// someIDs lists the first ids.
func someIDs(ids []string) string {
	more := ""
	if n := len(ids) - maxNamed; n > 0 {
		ids, more = ids[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	return diag.Safe(strings.Join(ids, ", ")) + more
}
