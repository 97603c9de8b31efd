package runner

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/dataset"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// rowsOf is a dataset of some rows, that are called r0, r1 and so on.
func rowsOf(t *testing.T, n int) *scenario.Dataset {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"id\": \"r%d\"}\n", i)
	}
	set := &scenario.Dataset{File: dataset.New("rows.jsonl", dataset.InMemory([]byte(b.String())))}
	var d diag.List
	if !set.Index(&d) {
		t.Fatal(d.Sorted())
	}
	return set
}

// TestRowsOfAPlan: a plan has every row with every repetition and variant, whichever way its trials are asked for.
func TestRowsOfAPlan(t *testing.T) {
	t.Parallel()
	s := &scenario.Scenario{Meta: scenario.Meta{ID: "s"}, Dataset: rowsOf(t, 4)}
	one := span{
		rows: []int32{0, 2, 3}, count: 12, variants: []Variant{{{0, "v", "a"}}, {{0, "v", "b"}}},
		Trial: Trial{
			Project: &project{}, Scenario: s, Endpoint: &Endpoint{Spec: &scenario.Provider{Meta: scenario.Meta{ID: "p"}}},
			Region: "default", N: 1, Of: 4, variantCount: 2,
		},
	}
	plan := &Plan{}
	plan.add(one, one)
	var all []string
	for t := range plan.All() {
		all = append(all, t.ID())
	}
	want := []string{
		"s/p/default#1[r0][v=a]", "s/p/default#2[r0][v=b]", "s/p/default#3[r0][v=a]", "s/p/default#4[r0][v=b]",
		"s/p/default#1[r2][v=a]",
	}
	if plan.Len() != 24 || len(all) != 24 || !slices.Equal(all[:5], want) || !slices.Equal(all[:12], all[12:]) {
		t.Fatalf("%d trials: %v", plan.Len(), all)
	}
	part := plan.Keep(func(t *Trial) bool { return t.Index >= 3 && t.Index < 22 })
	if part.Len() != 19 {
		t.Errorf("%d trials are kept", part.Len())
	}
	for i := range part.Len() {
		if got := part.Trial(i); got.ID() != all[3+i] || got.Index != i {
			t.Errorf("trial %d is %s, want %s", i, got.ID(), all[3+i])
		}
	}
	ids := func(seq func(func(*Trial) bool)) (ids []string) {
		for t := range seq {
			ids = append(ids, t.ID())
		}
		return ids
	}
	second := ids(part.Numbered([]int{2}))
	if want := []string{all[5], all[9], all[13], all[17], all[21]}; !slices.Equal(second, want) {
		t.Errorf("numbers 2 are %v, want %v", second, want)
	}
	if got := ids(part.Asked([]int{1}, 1)); len(got) != 10 {
		t.Errorf("the first rounds are %v", got)
	}
	sum := 0
	for _, n := range part.Sizes() {
		sum += n
	}
	if sum != 19 {
		t.Errorf("the groups have %d trials", sum)
	}
}
