package selection_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/selection"
)

func TestJoined(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ places, want [][2]int }{
		{nil, nil},
		{[][2]int{{0, 3}}, [][2]int{{0, 3}}},
		{[][2]int{{0, 3}, {3, 5}, {5, 6}}, [][2]int{{0, 6}}},
		{[][2]int{{0, 3}, {4, 5}, {5, 6}}, [][2]int{{0, 3}, {4, 6}}},
	} {
		if diff := cmp.Diff(c.want, selection.Joined(slices.Clone(c.places))); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.places, diff)
		}
	}
}

// TestPartsAreTheWhole: each block is in one part and in no other, in the order of the plan, and no part has much more
// to do than another.
func TestPartsAreTheWhole(t *testing.T) {
	t.Parallel()
	for _, takes := range [][]int64{{}, {5}, {9, 1, 1, 1, 5, 5, 2, 7}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {100, 1, 1, 1}} {
		var all selection.Blocks
		longest, sum := int64(0), int64(0)
		for _, n := range takes {
			all = append(all, &selection.Block{Takes: n})
			longest, sum = max(longest, n), sum+n
		}
		for of := 1; of <= 5; of++ {
			in := map[*selection.Block]int{}
			for number := 1; number <= of; number++ {
				load, last := int64(0), -1
				for _, b := range all.Chosen(number, of) {
					in[b]++
					load += b.Takes
					if at := slices.Index(all, b); at <= last {
						t.Errorf("%v, part %d of %d: block %d comes after %d", takes, number, of, at, last)
					} else {
						last = at
					}
				}
				if most := sum/int64(of) + longest; load > most {
					t.Errorf("%v, part %d of %d: it takes %d, more than %d", takes, number, of, load, most)
				}
			}
			for i, b := range all {
				if in[b] != 1 {
					t.Errorf("%v in %d parts: block %d is in %d of them", takes, of, i, in[b])
				}
			}
		}
	}
}

func TestRowWord(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"a1": "a1", "7": "id=7", "2-9": "id=2-9", "id=3": "id=id=3"} {
		if got := selection.RowWord(id); got != want {
			t.Errorf("the row %q is asked for by %q, want %q", id, got, want)
		}
	}
}
