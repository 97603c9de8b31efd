package runner

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

// A scenario is freed after the last of its trials, whatever part of the plan they are in, and not before.
func TestScenariosAreFreed(t *testing.T) {
	t.Parallel()
	const scenarios = 3
	plan := planOf(t, scenarios, says("hello"))
	for _, s := range plan.spans { // of another provider
		s.count = 2
		plan.add(s)
	}
	opts := options(4)
	opts.FreeScenarios = true
	kept := map[int]bool{0: true, scenarios + 1: true}
	opts.Kept = func(index int) bool { return kept[index] }
	first := runAll(t, plan, opts)
	if n := first.count(result.Passed); n != plan.Len()-len(kept) {
		t.Errorf("%d trials passed, want all %d that are not kept: %+v", n, plan.Len()-len(kept), first.trials)
	}
	for trial := range plan.All() {
		if !trial.Scenario.IsFreed() || trial.Scenario.Turns != nil {
			t.Errorf("%s still holds its turns", trial.ID())
		}
	}

	opts.Kept = nil
	again := runAll(t, plan, opts)
	if n := again.count(result.Errored); n != plan.Len() || !strings.Contains(again.trials[0].Error, "was freed") {
		t.Errorf("%d of %d trials without turns are errors: %+v", n, plan.Len(), again.trials)
	}
}

func TestScenariosAreHeldForAnotherRun(t *testing.T) {
	t.Parallel()
	plan := planOf(t, 2, says("hello"))
	for range 2 {
		if got := runAll(t, plan, options(2)); got.count(result.Passed) != 2 || len(got.trials[0].Turns) != 1 {
			t.Errorf("%+v", got.trials)
		}
	}
}

func runAll(t *testing.T, plan *Plan, opts Options) *watcher {
	t.Helper()
	journal, _ := journalFor(t)
	w := &watcher{}
	if err := Run(t.Context(), plan, opts, journal, w); err != nil {
		t.Fatal(err)
	}
	return w
}
