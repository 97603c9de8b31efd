package sortby

import (
	"cmp"
	"slices"
	"testing"
)

func TestFunc(t *testing.T) {
	t.Parallel()
	type pair struct{ key, place int }
	list := make([]pair, 100)
	for i := range list {
		list[i] = pair{(i * 37) % 7, i}
	}
	Func(list, func(a, b pair) int { return cmp.Compare(a.key, b.key) })
	if !slices.IsSortedFunc(list, func(a, b pair) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.place, b.place)) }) {
		t.Errorf("%v", list)
	}
	Func([]pair(nil), func(pair, pair) int { return 0 })
}
