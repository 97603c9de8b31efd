package runner

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/scenario"
)

// TestTwice finds trials with the same id, however many there are.
func TestTwice(t *testing.T) {
	t.Parallel()
	const endless = maxTrials
	ann, bob := Variant{{0, "name", "Ann"}}, Variant{{0, "name", "Bob"}}
	group := func(id string, count int, of ...Variant) span {
		s := span{variants: of, count: count, Trial: Trial{
			Project: &project{Project: &scenario.Project{}}, Scenario: &scenario.Scenario{Meta: scenario.Meta{ID: id}},
			Endpoint: &Endpoint{Spec: &scenario.Provider{Meta: scenario.Meta{ID: "p"}}}, Region: "eu", N: 1, Of: count,
		}}
		if len(of) > 0 {
			s.Variant = of[0]
		}
		return s
	}
	session := func(name string) span {
		s := group("a", 1)
		s.Recorded = &Recorded{Name: name}
		return s
	}
	for name, c := range map[string]struct {
		spans []span
		want  []string
	}{
		"none":             {[]span{group("a", endless), group("b", endless)}, nil},
		"endless":          {[]span{group("a", endless), group("b", 1), group("a", endless)}, []string{"a/p/eu#1"}},
		"three":            {[]span{group("a", 2), group("a", 2), group("a", 3)}, []string{"a/p/eu#1", "a/p/eu#1"}},
		"alone":            {[]span{group("a", 1), group("a", 1)}, []string{"a/p/eu"}},
		"later variant":    {[]span{group("a", endless, ann, bob), group("a", endless, bob)}, []string{"a/p/eu#2[name=Bob]"}},
		"never the same":   {[]span{group("a", endless, ann, bob), group("a", endless, bob, ann)}, nil},
		"conversations":    {[]span{session("x"), session("y"), session("x")}, []string{"a/p/eu[x]"}},
		"of another group": {[]span{session("x"), group("a", 2)}, nil},
	} {
		plan := &Plan{}
		plan.add(c.spans...)
		var got []string
		for trial := range plan.DuplicateIDs() {
			got = append(got, trial.ID())
		}
		if diff := cmp.Diff(c.want, slices.Clip(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
