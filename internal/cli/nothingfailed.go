package cli

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// redWithoutFailure says why --last-failed has nothing to run, although fail_on makes the run red.
func redWithoutFailure(run *result.Run, reasons []string) error {
	lines := []string{fmt.Sprintf(
		"--last-failed: no trial failed in the last run; it is red by fail_on (%s), which the same trials would be again",
		strings.Join(reasons, ", "))}
	for _, reason := range reasons {
		lines = append(lines, reason+": "+whyRed(run, reason))
	}
	return fmt.Errorf("%s\nnothing was touched, and the reports stay as they are", strings.Join(lines, "\n"))
}

// whyRed says what makes a run red, and what to do.
func whyRed(run *result.Run, reason string) string {
	var ids []string
	which := func(told func(*result.Brief) bool) string {
		ids = nil
		for _, b := range run.Briefs.All() {
			if told(&b) {
				ids = append(ids, b.ID)
			}
		}
		return someIDs(ids)
	}
	switch reason {
	case result.FailOnSkipped:
		names := which(func(b *result.Brief) bool { return b.Status == result.Skipped })
		return fmt.Sprintf("%s skipped: %s; take skip out of their files, then arena run --resume runs them",
			plural.Of(len(ids), "trial was", "trials were"), names)
	case result.FailOnFlaky:
		names := which(func(b *result.Brief) bool { return b.Flaky })
		if len(ids) == 0 {
			return fmt.Sprintf("trials of %s both passed and failed; arena run, without --last-failed, runs all of it again",
				plural.Of(run.FlakyGroups(), "scenario", "scenarios"))
		}
		return fmt.Sprintf("%s that had failed before, although nothing changed: %s; arena run, without --last-failed, runs "+
			"all of it again", plural.Of(len(ids), "trial passed", "trials passed"), names)
	case result.FailOnError:
		names := which(func(b *result.Brief) bool { return b.Outvoted && b.Status == result.Errored && !b.Uncounted })
		return fmt.Sprintf("%s within gates that passed: %s; arena run, without --last-failed, runs all of it again",
			plural.Of(run.BrokenInGates(), "trial broke", "trials broke"), names)
	case result.FailOnWarning:
		text := run.Warnings[0]
		if n := len(run.Warnings) - 1; n > 0 {
			text += fmt.Sprintf(" (and %d more)", n)
		}
		return text
	case result.FailOnEval:
		return "an eval could not judge; arena run --resume has it judge again"
	case result.FailOnRegressed:
		if run.Against == nil {
			return "it was held against no baseline; arena run --resume --baseline FILE does that"
		}
		return fmt.Sprintf("of %s, %s; where that is meant, arena bless makes the run the baseline", run.Against.File,
			show.AgainstText(run.Against))
	}
	return "arena run, without --last-failed, runs all of it again"
}
