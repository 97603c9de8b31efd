package chat

import (
	"math"
	"testing"
)

// TestSumsStayPositive: a sum of tokens never turns into less than nothing, which every budget would let pass.
func TestSumsStayPositive(t *testing.T) {
	t.Parallel()
	huge := Usage{InputTokens: math.MaxInt, OutputTokens: math.MaxInt, CachedTokens: math.MaxInt}
	sum := huge.Add(huge)
	if sum != huge || sum.Total() != math.MaxInt {
		t.Errorf("got %+v, in all %d", sum, sum.Total())
	}
	for u, want := range map[Usage]bool{
		{}: true, {InputTokens: MostTokens}: true, {InputTokens: MostTokens + 1}: false, {OutputTokens: math.MaxInt}: false,
		{OutputTokens: -1}: false,
	} {
		if u.Counted() != want {
			t.Errorf("%+v counts: %t", u, u.Counted())
		}
	}
}
