package cli

import (
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// gates decides what is kept of groups that may end early, and counts trials that are not needed. afresh: a finished
// group is kept only if it passed. An unfinished gate continues with its trials: that is no second chance.
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
		if w := r.weakens(g, p, afresh); stays > 0 && w != "" {
			r.weakened[g.First] = w
		}
		if afresh && endsAfresh(g, p) {
			for _, index := range kept[from:to] {
				delete(r.kept, index)
			}
			for index := range g.Slots() {
				delete(r.leftOut, g.First+index)
			}
			stays = 0
		}
		if p.Over() && stays > 0 {
			notNeeded += g.Slots() - stays
			continue
		}
		notNeeded += min(g.Slots()-g.Max, g.Slots()-stays) // numbers above Max are for trials that replace others
	}
	return notNeeded, nil
}

// endsAfresh reports whether --last-failed starts a group afresh.
func endsAfresh(g *result.GatedGroup, p *result.Progress) bool {
	switch p.Verdict() {
	case result.Passed, result.Skipped:
		return false
	case result.Unset:
		return g.Rule != result.RuleGate || p.Counts().N() == 0
	default:
		return true
	}
}

// weakens says why a gate with earlier trials has more errors than it promises; "": it has not.
func (r *resumption) weakens(g *result.GatedGroup, p *result.Progress, afresh bool) result.Weakening {
	if g.Rule != result.RuleGate || r.ledger.HeaderLost {
		return ""
	}
	if afresh && endsAfresh(g, p) {
		if v := p.Verdict(); v == result.Failed || v == result.Undecided {
			return result.WeakenedByAgain
		}
		return ""
	}
	before := r.ledger.Header.Gates
	at := slices.IndexFunc(before, func(was result.GatedGroup) bool { return was.Is(g) })
	if at < 0 || !before[at].Asks(&g.GateSpec) {
		return result.WeakenedByRule
	}
	return before[at].Weakened
}
