package anthropic

import "testing"

// TestLaterUsage: what was counted once was spent, and what cannot be stays so.
func TestLaterUsage(t *testing.T) {
	t.Parallel()
	var u usage
	for _, next := range []struct{ counted, want int }{{5, 5}, {2, 5}, {0, 5}, {7, 7}, {-1, -1}, {9, -1}} {
		if u.take(&usage{Input: next.counted}); u.Input != next.want {
			t.Errorf("after %d it is %d, want %d", next.counted, u.Input, next.want)
		}
	}
}
