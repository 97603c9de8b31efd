package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// failOn returns what the command line and the projects list under fail_on, in the order of result.FailOnWords.
func (m *matrix) failOn(suite *scenario.Suite) []string {
	if m.opts.FailOn != nil && len(m.opts.FailOn) == 0 {
		m.diags.Warnf(diag.Pos{}, 0, "no-effect", "the list of what makes the run red is empty, which changes nothing: %s",
			result.AlwaysRed).Hint = "leave it out; for a report only, pass --exit-zero"
	}
	named := slices.Clone(m.opts.FailOn)
	for _, p := range suite.Projects {
		named = append(named, p.Defaults.FailOn...)
	}
	if m.opts.Strict { // warnings may come up only at the end of the run
		named = append(named, result.FailOnWarning)
	}
	var out []string
	for _, reason := range result.FailOnWords {
		if slices.Contains(named, reason) {
			out = append(out, reason)
		}
	}
	return out
}
