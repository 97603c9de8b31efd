package result

import (
	"strings"
	"testing"
)

// TestTexts keeps texts of all lengths, those around the size of a piece and of a number of 16 bits among them.
func TestTexts(t *testing.T) {
	t.Parallel()
	var kept texts
	var want []string
	var at []textAt
	for _, n := range []int{
		0, 1, 5, 5, textsBytes - 7, 1, textsBytes - 1, 1, textsBytes, 1, textsBytes + 1, 0, allBytes - 1, 2, allBytes, 3,
		allBytes + 1, 3 * allBytes, 1,
	} {
		want = append(want, strings.Repeat(string(rune('a'+len(want))), n))
		at = append(at, kept.add(want[len(want)-1]))
	}
	kept.close()
	for i := range want {
		if got := kept.get(at[i]); got != want[i] {
			t.Errorf("text %d has %d bytes, want %d", i, len(got), len(want[i]))
		}
	}
}
