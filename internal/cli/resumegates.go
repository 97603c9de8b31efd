package cli

import (
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// gates settles what stays of groups whose trials may end early, and counts the numbers of trials that are not needed.
// With afresh a group stays only where it has passed: going on with one that is undecided, or running until it passes,
// would not mean what its bar says.
func (r *resumption) gates(plan *runner.Plan, afresh bool) (notNeeded int, err error) {
	groups := plan.Gates()
	if len(groups) == 0 {
		return 0, nil
	}
	kept := slices.Sorted(maps.Keys(r.kept))
	for i := range groups {
		g := &groups[i]
		from, _ := slices.BinarySearch(kept, g.First)
		to, _ := slices.BinarySearch(kept, g.First+g.Slots())
		p := result.NewProgress(g.GateSpec)
		for _, index := range kept[from:to] {
			t, err := r.ledger.Trial(r.kept[index])
			if err != nil {
				return 0, err
			}
			p.Add(t)
		}
		stays := to - from
		if afresh && p.Verdict() != result.Passed && p.Verdict() != result.Skipped {
			for _, index := range kept[from:to] {
				delete(r.kept, index)
			}
			for index := range g.Slots() {
				delete(r.left, g.First+index)
			}
			stays = 0
		}
		if p.Over() && stays > 0 {
			notNeeded += g.Slots() - stays
			continue
		}
		notNeeded += min(g.Slots()-g.Max, g.Slots()-stays) // numbers of trials that replace others
	}
	return notNeeded, nil
}
