package runner

import (
	"fmt"
	"math"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

// rows are the rows of a scenario that are run.
func (m *matrix) rows(s *scenario.Scenario) []int32 {
	if !s.Dataset.Sound() || s.Dataset.Len() > math.MaxInt32 {
		return nil
	}
	if known, there := m.chosenRows[s]; there {
		return known
	}
	chosen := m.rowFilter.Choose(s.Dataset)
	if n := m.opts.Sample; n > 0 && n < len(chosen) {
		seed := int64(0)
		if m.opts.Calls.Seed != nil {
			seed = *m.opts.Calls.Seed
		}
		chosen = selection.SampleRows(s.Dataset, chosen, n, seed)
		m.notes = append(m.notes, fmt.Sprintf("--sample %d: %s of %d of %s are run", n, plural.Of(n, "row", "rows"),
			s.Dataset.Len(), s.Dataset.Name))
	}
	if m.chosenRows == nil {
		m.chosenRows = map[*scenario.Scenario][]int32{}
	}
	m.chosenRows[s] = chosen
	return chosen
}

// noteFewRows notes that a gate draws its trials from fewer rows than it may take, where the command line left some
// out: these come up again, and tell less than as many others.
func (m *matrix) noteFewRows(one *span) {
	if n := len(one.pool); n > 0 && n < one.Of && n < one.Scenario.Dataset.Len() {
		m.note("scenario %q: its gate draws up to %s from %s of %d, so that these come up again: they tell less than others",
			one.Scenario.ID, plural.Of(one.Of, "trial", "trials"), plural.Of(n, "row", "rows"), one.Scenario.Dataset.Len())
	}
}

// refuseRows reports scenarios with a dataset that would judge recordings.
func (m *matrix) refuseRows(scenarios []*scenario.Scenario) {
	for _, s := range scenarios {
		if s.Dataset != nil && s.Skip == "" {
			m.diags.Errorf(s.Dataset.Pos, 1, "dataset", "scenario %q has a dataset, and recordings do not say "+
				"of which row they are",
				s.ID).Hint = "judge them by a scenario without one, or by an eval"
		}
	}
}
