package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJoinClaims: what one part of a run met is met, and what nobody met is told once, with the text that knows most.
func TestJoinClaims(t *testing.T) {
	t.Parallel()
	met, untried := Claim{Key: "k", Met: true}, Claim{Key: "k"}
	unmet := Claim{Key: "k", Unmet: "nobody called it"}
	near := Claim{Key: "k", Unmet: "nobody called it; did you mean b?", Evidence: 1}
	for name, tc := range map[string]struct {
		parts [][]Claim
		want  []string
	}{
		"nothing":                {nil, nil},
		"met somewhere":          {[][]Claim{{unmet}, {met}, {near}}, nil},
		"untried and unmet":      {[][]Claim{{untried}, {unmet}}, []string{"nobody called it"}},
		"not in all of them":     {[][]Claim{{}, {unmet}}, []string{"nobody called it"}},
		"untried everywhere":     {[][]Claim{{untried}, {untried}}, nil},
		"the most evidence":      {[][]Claim{{unmet}, {near}, {unmet}}, []string{near.Unmet}},
		"in the order they have": {[][]Claim{{{Key: "b", Order: 2, Unmet: "2"}}, {{Key: "a", Order: 1, Unmet: "1"}}}, []string{"1", "2"}},
		"one of a place": {
			[][]Claim{{{Key: "a", Place: "p", Unmet: "1"}, {Key: "b", Place: "p", Unmet: "2"}}}, []string{"1"},
		},
	} {
		var got []string
		for _, c := range UnmetClaims(JoinClaims(tc.parts...)) {
			got = append(got, c.Unmet)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
