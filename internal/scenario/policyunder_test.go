package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNarrower: neither prompt lifts what the other forbids, in every key of a tool policy.
func TestNarrower(t *testing.T) {
	t.Parallel()
	of := func(p ToolPolicy) *Prompt { return &Prompt{ToolPolicy: &p} }
	a := of(ToolPolicy{Choice: "find", Blocklist: []string{"x"}, MaxRounds: 1, MaxPerTurn: 9, MaxTotal: 3, MaxCostUSD: 1, MaxIdentical: 2})
	b := of(ToolPolicy{Choice: "none", Blocklist: []string{"y"}, MaxPerTurn: 2, MaxTotal: 4, MaxCostUSD: 0.5, MaxIdentical: 5})
	want := ToolPolicy{
		Choice: "none", Blocklist: []string{"x", "y"}, MaxRounds: 1, MaxPerTurn: 2, MaxTotal: 3, MaxCostUSD: 0.5, MaxIdentical: 2,
	}
	if diff := cmp.Diff(&want, narrower(a, b)); diff != "" {
		t.Error(diff)
	}
	if narrower(nil, nil) != nil || narrower(a, nil) != a.ToolPolicy || narrower(nil, b) != b.ToolPolicy {
		t.Error("with one policy it is that one")
	}
}
