package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	v := func(kind, file string, s Status, why string) Verdict {
		return Verdict{Type: kind, Status: s, Explanation: why, Position: diag.Pos{File: file, Line: 3}}
	}
	was := &Trial{
		ID: "a/p", Turns: []Turn{{Index: 0, Assertions: []Verdict{
			v("contains", "a.yaml", Passed, ""), v("contains", "a.yaml", Failed, "second"), v("regex", "a.yaml", Passed, ""),
		}}},
		Conversation: []Verdict{v("contains", "a.yaml", Errored, "x")},
		Evals: []EvalResult{
			{ID: "tone", Turn: -1, Status: Failed, MinScore: new(0.5)}, {ID: "free", Turn: -1, Explanation: "no gate"},
		},
	}
	now := &Trial{
		ID: "a/p", Turns: []Turn{{Index: 0, Assertions: []Verdict{
			v("contains", "there/a.yaml", Passed, "other words"), v("contains", "there/a.yaml", Passed, "better"),
			v("contains", "b.yaml", Failed, "new"),
		}}},
		Conversation: []Verdict{v("contains", "a.yaml", Errored, "y")},
		Evals: []EvalResult{
			{ID: "tone", Turn: -1, Status: Passed, MinScore: new(0.5), Explanation: "calm"}, {ID: "free", Turn: -1, Error: "down"},
		},
	}
	want := []Change{
		{Trial: "a/p", Type: "contains", Was: &Opinion{Status: Failed, Reason: "second"}, Now: &Opinion{Status: Passed, Reason: "better"}},
		{Trial: "a/p", Type: "contains", Now: &Opinion{Status: Failed, Reason: "new"}},
		{Trial: "a/p", Turn: -1, Type: "tone", Eval: true, Was: &Opinion{Status: Failed}, Now: &Opinion{Status: Passed, Reason: "calm"}},
		{Trial: "a/p", Type: "regex", Was: &Opinion{Status: Passed}},
	}
	if diff := cmp.Diff(want, Changes(was, now)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if same := Changes(was, was); len(same) > 0 {
		t.Errorf("a trial differs from itself: %v", same)
	}
}
