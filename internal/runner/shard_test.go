package runner

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

// somePlan is a plan of groups of some sizes and of datasets, as the random numbers have it.
func somePlan(t *testing.T, r *rand.Rand) *Plan {
	t.Helper()
	n := 1 + r.IntN(12)
	counts := make([]int, n)
	for i := range counts {
		counts[i] = 1 + r.IntN(6)
	}
	plan := spread(t, says("hi"), r.IntN(3), counts...)
	out := &Plan{}
	for _, s := range plan.spans {
		if r.IntN(3) == 0 {
			rows := 1 + r.IntN(400)
			for i := range rows {
				s.rows = append(s.rows, int32(i))
			}
			s.row = 1
			s.count = s.Of * rows
		}
		out.add(s)
	}
	return out
}

// trialText tells a trial of a plan without its id, which a row without a dataset does not have.
func trialText(t *Trial) string {
	return fmt.Sprint(t.Scenario.ID, t.row, "#", t.N, t.Of, t.Variant)
}

// TestCut: whatever the plan and however it is balanced, its parts have every trial once between them, in the order of
// the plan, and each group whole.
func TestCut(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		plan := somePlan(t, r)
		of := 1 + r.IntN(9)
		var takes func(*Trial) int64
		if r.IntN(2) == 0 {
			takes = func(t *Trial) int64 { return int64(1 + (len(t.Scenario.ID)+t.row*7)%13) }
		}
		owners := make([]int, plan.Len())
		groups := map[string]int{}
		for number := 1; number <= of; number++ {
			part := plan.Cut(result.Shard{Number: number, Of: of}, takes)
			shard, places := part.Shard()
			again := plan.Part(*shard, places)
			if shard.Planned != plan.Len() || again.Len() != part.Len() {
				t.Fatalf("seed %d: shard %s of %d trials, %d and then %d", seed, shard, shard.Planned, part.Len(), again.Len())
			}
			i := 0
			for _, p := range places {
				for at := p[0]; at < p[1]; at++ {
					mine, its := part.Trial(i), plan.Trial(at)
					if trialText(&mine) != trialText(&its) || mine.Index != i {
						t.Fatalf("seed %d: shard %s has %s at %d, the plan %s at %d", seed, shard, trialText(&mine), i, trialText(&its), at)
					}
					if owners[at] != 0 {
						t.Fatalf("seed %d: the shards %d and %d have the trial %d", seed, owners[at], number, at)
					}
					owners[at] = number
					group := fmt.Sprint(its.Scenario.ID, its.row)
					if other := groups[group]; other != 0 && other != number {
						t.Fatalf("seed %d: the group %s is in the shards %d and %d", seed, group, other, number)
					}
					groups[group] = number
					i++
				}
			}
			if i != part.Len() {
				t.Fatalf("seed %d: shard %s has %d trials and places for %d", seed, shard, part.Len(), i)
			}
		}
		if at := slices.Index(owners, 0); at >= 0 {
			t.Fatalf("seed %d: no shard has the trial %d of %d", seed, at, plan.Len())
		}
	}
}

// TestCutBalances: no part has more to do than another one by more than a block of trials that stay together.
func TestCutBalances(t *testing.T) {
	t.Parallel()
	plan := spread(t, says("hi"), 0, slices.Repeat([]int{1, 3, 2}, 40)...)
	takes := func(t *Trial) int64 { return int64(1 + t.Index%17) }
	var loads []int64
	for number := 1; number <= 4; number++ {
		sum := int64(0)
		for trial, n := range plan.Cut(result.Shard{Number: number, Of: 4}, takes).Sizes() {
			for first := range plan.Sizes() {
				if first.Scenario == trial.Scenario {
					trial = first
				}
			}
			sum += takes(&Trial{Index: trial.Index - trial.N + 1}) * int64(n)
		}
		loads = append(loads, sum)
	}
	if most := slices.Max(loads) - slices.Min(loads); most > 17*3 {
		t.Errorf("the parts have %d to do", loads)
	}
}

// TestCutAlternates: where two providers take turns, each part has both.
func TestCutAlternates(t *testing.T) {
	t.Parallel()
	plan := spread(t, says("hi"), 0, slices.Repeat([]int{1}, 12)...)
	part := plan.Cut(result.Shard{Number: 1, Of: 2}, nil)
	odd := 0
	_, places := part.Shard()
	for _, p := range places {
		for at := p[0]; at < p[1]; at++ {
			odd += at % 2
		}
	}
	if odd != 3 {
		t.Errorf("of 6 trials at %v, %d are of the second of two providers", places, odd)
	}
}

// TestPlanSum: the sum of a plan tells its trials, their order and the sizes of groups.
func TestPlanSum(t *testing.T) {
	t.Parallel()
	sums := map[string]string{}
	for name, plan := range map[string]*Plan{
		"one": spread(t, says("hi"), 0, 2, 1), "more": spread(t, says("hi"), 0, 3, 1), "turned": spread(t, says("hi"), 0, 1, 2),
		"varied": spread(t, says("hi"), 2, 2, 1), "huge": spread(t, says("hi"), 0, 1_000_000_000, 1),
	} {
		sum := NewFingerprints(&Options{}).Plan(plan)
		if other := sums[sum]; other != "" {
			t.Errorf("%s and %s have the sum %s", name, other, sum)
		}
		sums[sum] = name
	}
	if again := NewFingerprints(&Options{}).Plan(spread(t, says("hi"), 0, 2, 1)); sums[again] != "one" {
		t.Error("the same plan has two sums")
	}
}
