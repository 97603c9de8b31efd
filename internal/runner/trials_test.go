package runner

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
)

// spread is a plan of groups with counts trials, each with the given number of variants.
func spread(t *testing.T, client providers.Provider, variants int, counts ...int) *Plan {
	t.Helper()
	from := planOf(t, len(counts), client)
	plan := &Plan{}
	for i, n := range counts {
		s := from.spans[i]
		s.count, s.Of = n, n
		for v := range variants {
			s.variants = append(s.variants, Variant{{name: "v", text: fmt.Sprint(v)}})
		}
		plan.add(s)
	}
	return plan
}

func ids(plan *Plan) (list []string) {
	for t := range plan.All() {
		list = append(list, fmt.Sprintf("%d %s", t.Index, t.ID()))
	}
	return list
}

func TestTrialsAreMadeWhenAskedFor(t *testing.T) {
	t.Parallel()
	plan := spread(t, says("hi"), 2, 3, 1, 2)
	want := []string{
		"0 s000/p/default#1[v=0]", "1 s000/p/default#2[v=1]", "2 s000/p/default#3[v=0]", "3 s001/p/default[v=0]",
		"4 s002/p/default#1[v=0]", "5 s002/p/default#2[v=1]",
	}
	if diff := cmp.Diff(want, ids(plan)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, id := range want {
		if trial := plan.Trial(i); fmt.Sprintf("%d %s", trial.Index, trial.ID()) != id {
			t.Errorf("%d is %s", i, trial.ID())
		}
	}
	var last []string
	for trial := range plan.Groups() {
		last = append(last, trial.ID())
	}
	if diff := cmp.Diff([]string{"s000/p/default#3[v=0]", "s001/p/default[v=0]", "s002/p/default#2[v=1]"}, last); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	kept := plan.Keep(func(t *Trial) bool { return !strings.Contains(t.ID(), "#2") })
	want = []string{
		"0 s000/p/default#1[v=0]", "1 s000/p/default#3[v=0]", "2 s001/p/default[v=0]", "3 s002/p/default#1[v=0]",
	}
	if diff := cmp.Diff(want, ids(kept)); diff != "" || kept.Len() != 4 || plan.Len() != 6 {
		t.Errorf("%d of %d (-want +got):\n%s", kept.Len(), plan.Len(), diff)
	}
	if (&Plan{}).Len() != 0 || ids(&Plan{}) != nil {
		t.Error("an empty plan has trials")
	}
}

// TestNumbered: Numbered yields the same trials as All, and makes no others.
func TestNumbered(t *testing.T) {
	t.Parallel()
	small := spread(t, says("hi"), 2, 3, 1, 9, 4).Keep(func(t *Trial) bool { return t.N != 5 })
	for _, numbers := range [][]int{nil, {1}, {2, 3}, {4, 5, 6}, {1, 3, 8, 9, 10, 77}} {
		var want, got []string
		for trial := range small.All() {
			if slices.Contains(numbers, trial.N) {
				want = append(want, fmt.Sprintf("%d %s", trial.Index, trial.ID()))
			}
		}
		for trial := range small.Numbered(numbers) {
			got = append(got, fmt.Sprintf("%d %s", trial.Index, trial.ID()))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", numbers, diff)
		}
	}
	huge, made := spread(t, says("hi"), 1, 1_000_000_000, 1_000_000_000), 0
	for range huge.Numbered([]int{1, 7, 999_999_999}) {
		made++
	}
	sizes := 0
	for _, n := range huge.Sizes() {
		sizes += n
	}
	if made != 6 || sizes != huge.Len() {
		t.Errorf("%d trials made, sizes of %d", made, sizes)
	}
}

// TestWhatNeverStartsCostsNothing: a run that stops at its first failure ends at once, however many trials are left,
// and counts those.
func TestWhatNeverStartsCostsNothing(t *testing.T) {
	t.Parallel()
	const planned = 1_000_000_000_000
	plan := spread(t, says(""), 1, planned/2, planned/2) // an empty reply is an error
	w := &watcher{}
	opts := options(4)
	opts.MaxFailures = 1
	journal, _ := journalFor(t)
	if err := Run(t.Context(), plan, opts, journal, w); err != nil {
		t.Fatal(err)
	}
	if n := w.count(result.Cancelled); plan.Len() != planned || w.count(result.Errored) == 0 || n < maxNotRunEvents || n > maxNotRunEvents+4 {
		t.Errorf("%d trials, %d errors, %d not run", plan.Len(), w.count(result.Errored), n)
	}
	var collected result.Collector
	for _, trial := range w.trials {
		collected.Add(trial)
	}
	run := &result.Run{Planned: plan.Len()}
	if collected.Finish(run); run.Status != result.Errored || run.Exit(false) != result.ExitError {
		t.Errorf("%s, exit %d", run.Status, run.Exit(false))
	}
}
