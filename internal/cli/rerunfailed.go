package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// onlyFailed narrows a plan to what the journal of the last run does not show as settled, and returns the ids of the
// trials that it leaves out. The trials of a group stay together: the rate at which they pass is what counts.
func onlyFailed(plan *runner.Plan, journal string) (passed []string, err error) {
	settled, err := settledTrials(journal, slices.Contains(plan.FailOn, result.FailOnGuardrail))
	if err != nil {
		return nil, err
	}
	open := map[groupKey]bool{}
	for i := range plan.Trials {
		if t := &plan.Trials[i]; !settled[t.ID()] {
			open[groupOf(t)] = true
		}
	}
	plan.Trials = slices.DeleteFunc(plan.Trials, func(t runner.Trial) bool {
		if open[groupOf(&t)] {
			return false
		}
		passed = append(passed, t.ID())
		return true
	})
	for i := range plan.Trials {
		plan.Trials[i].Index = i
	}
	if len(plan.Trials) == 0 {
		return nil, errors.New("--rerun-failed: every trial of this plan passed in the last run")
	}
	return passed, nil
}

// settledTrials reads the ids of those that need not run again: they passed, were tolerated or skipped, or had passed
// before a run that left them out for that. strict says that a guardrail which fired makes a run red.
func settledTrials(journal string, strict bool) (map[string]bool, error) {
	file, err := os.Open(journal)
	if err != nil {
		return nil, fmt.Errorf("--rerun-failed needs the journal of a run before: %w", err)
	}
	defer func() { _ = file.Close() }() // read only
	last, _, err := result.ReadJournal(readOnly{file})
	if err != nil {
		return nil, fmt.Errorf("--rerun-failed: %s: %w", journal, err)
	}
	settled := map[string]bool{}
	for _, id := range last.PassedBefore {
		settled[id] = true
	}
	for i := range last.Briefs {
		b := &last.Briefs[i]
		red := strict && b.Guards != nil && b.Guards.Fired > 0
		settled[b.ID] = !red && (b.Status == result.Passed || b.Status == result.Skipped || b.Tolerated)
	}
	return settled, nil
}

// groupKey tells groups of trials apart.
type groupKey struct {
	project, scenario, provider any
	region                      string
}

func groupOf(t *runner.Trial) groupKey { return groupKey{t.Project, t.Scenario, t.Endpoint, t.Region} }

// readOnly is a journal file that is only read.
type readOnly struct{ *os.File }

func (readOnly) Sync() error { return nil }
