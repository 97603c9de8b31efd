package result

import (
	"fmt"
	"iter"
	"slices"
	"testing"
)

// TestFew: it is a map, with few keys and with many.
func TestFew(t *testing.T) {
	t.Parallel()
	var f smallMap[string, int]
	want := map[string]int{}
	for i := range 5 * maxScan {
		key := fmt.Sprint(i * i % (3 * maxScan))
		want[key] += i
		*f.make(key) += i
		if got := f.get(key); f.len() != len(want) || got == nil || *got != want[key] || f.get("none") != nil {
			t.Fatalf("%d keys, and %s is %v; want %d and %d", f.len(), key, got, len(want), want[key])
		}
	}
	for key, value := range f.all() {
		if *value != want[key] {
			t.Errorf("%s is %d, want %d", key, *value, want[key])
		}
		delete(want, key)
	}
	if len(want) > 0 {
		t.Errorf("%v are missing", want)
	}
}

// TestManyAssertions: each of many assertions of a group is counted for itself, in whatever order a trial has them.
func TestManyAssertions(t *testing.T) {
	t.Parallel()
	var c tally
	const checks = 3 * maxScan
	for trial := range 4 {
		o := &Observed{index: trial, number: trial + 1, status: Failed}
		for i := range checks {
			if trial%2 == 1 {
				i = checks - 1 - i
			}
			status := Passed
			if i == trial {
				status = Failed
			}
			o.checks = append(o.checks, observedCheck{countedCheck{turn: i % 2, index: i}, "contains", 1, status})
		}
		c.count(o)
	}
	all := c.inOrder()
	if len(all) != checks || c.status(4) != Failed {
		t.Fatalf("%d assertions and the status %s", len(all), c.status(4))
	}
	for _, s := range all {
		if failed := s.Index < 4; s.Passed+s.Failed != 4 || (s.Failed == 1) != failed || (s.Status == Failed) != failed {
			t.Errorf("%+v", s)
		}
	}
}

// TestAhead: items come in their order, each after its work, and a loop that ends early leaves nothing running.
func TestAhead(t *testing.T) {
	t.Parallel()
	items := func() iter.Seq[*int] {
		return func(yield func(*int) bool) {
			for i := range 1000 {
				if !yield(&i) {
					return
				}
			}
		}
	}
	double := func(i *int) { *i *= 2 }
	var got []int
	for i := range prefetch(items(), double) {
		if got = append(got, *i); len(got) == 700 {
			break
		}
	}
	if len(got) != 700 || !slices.IsSorted(got) || got[699] != 2*699 {
		t.Errorf("%d items, the last is %d", len(got), got[len(got)-1])
	}
	n := 0
	for range prefetch(items(), double) {
		n++
	}
	if n != 1000 {
		t.Errorf("%d items", n)
	}
}
