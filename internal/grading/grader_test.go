package grading

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		scores []float64
		want   float64
	}{
		{[]float64{0.3}, 0.3}, {[]float64{1, 0}, 0.5}, {[]float64{0.9, 0.1, 0.2}, 0.2}, {[]float64{1, 0.4, 0.6, 0}, 0.5},
	} {
		if got := median(tc.scores); cmp.Diff(tc.want, got, cmpopts.EquateApprox(0, 1e-12)) != "" {
			t.Errorf("%v: %v, want %v", tc.scores, got, tc.want)
		}
	}
}

func TestKeysAreNotInTheMaterial(t *testing.T) {
	t.Parallel()
	text := []Exhibit{Show("reply", "hello")}
	key := keyOf(text)
	if again := keyOf([]Exhibit{Show("answer", "hello")}); again != key {
		t.Errorf("the key is not that of the text: %s, %s", key, again)
	}
	if other := keyOf([]Exhibit{Show("reply", "hello"+key)}); other == key {
		t.Error("the key is in the text")
	}
	if mentions(text, key) || !mentions([]Exhibit{Show("reply", "x"+key)}, key) {
		t.Error("mentions")
	}
}

func TestRepairShowsNoEndlessReply(t *testing.T) {
	t.Parallel()
	messages := repair(strings.Repeat("é", 2*repairLimit)+"\xff", "it is long")
	if n := len([]rune(messages[0].Content)); n != repairLimit+1 {
		t.Errorf("%d characters", n)
	}
	if got := repair(" \n", "it is empty")[0].Content; got != "(nothing)" {
		t.Errorf("%q", got)
	}
}
