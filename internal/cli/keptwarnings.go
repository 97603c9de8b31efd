package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/runner"
)

// refuseUnredacted refuses to keep trials that were written without the present --redact: the reports and the journal
// would show those fields.
func (f *runFlags) refuseUnredacted(r *resumption) error {
	var ids []string
	missed := map[string]bool{}
	for _, i := range slices.Sorted(maps.Keys(r.kept)) {
		e := r.kept[i]
		open := slices.DeleteFunc(slices.Clone(f.cassettes.Redact), func(field string) bool {
			return slices.ContainsFunc(e.Redacted, func(was string) bool { return strings.EqualFold(was, field) })
		})
		if len(open) == 0 {
			continue
		}
		ids = append(ids, e.ID)
		for _, field := range open {
			missed[field] = true
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s would be kept that the run before wrote without --redact %s, and the reports would show "+
		"it: %s\n"+
		"leave %s out and name another folder with -o, to run all of it again", f.resumeFlag(),
		plural.Of(len(ids), "trial", "trials"), strings.Join(slices.Sorted(maps.Keys(missed)), ","), someIDs(ids),
		f.resumeFlag())
}

// warnUnrecordedTrials warns of kept trials that are not in the folder of recordings: the journal does not hold what
// models were asked.
func (r *resumption) warnUnrecordedTrials(plan *runner.Plan, deck *cassette.Folder) {
	if deck == nil || !deck.Records() {
		return
	}
	var ids []string
	for _, i := range slices.Sorted(maps.Keys(r.unjudged)) {
		ids = append(ids, r.unjudged[i].ID)
	}
	if len(ids) > 0 {
		r.warnings = append(r.warnings, fmt.Sprintf(
			"%s judged again, and what the judges say now is not in %s: %s; the next run with --record %s asks for that alone",
			plural.Of(len(ids), "trial is", "trials are"), deck.Dir, someIDs(ids), deck.Dir))
	}
	ids = nil
	for _, i := range slices.Sorted(maps.Keys(r.kept)) {
		if e := r.kept[i]; !e.Gone && i < plan.Len() {
			if t := plan.Trial(i); !deck.Has(t.Cassette()) {
				ids = append(ids, e.ID)
			}
		}
	}
	if len(ids) == 0 {
		return
	}
	r.warnings = append(r.warnings, fmt.Sprintf(
		"%s kept from before and not in %s: %s; to record all of it, run it again into another folder (-o)",
		plural.Of(len(ids), "trial is", "trials are"), deck.Dir, someIDs(ids)))
}
