package checks

import (
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

func TestStateOfACall(t *testing.T) {
	t.Parallel()
	known := []Transition{{From: "intake", To: "triage", Turn: 1}, {From: "triage", To: "fix", Turn: 3}}
	for _, tc := range []struct {
		name string
		w    Workflow
		turn int
		want string
	}{
		{"no transition", Workflow{Current: "intake"}, 5, "intake"},
		{"before the first", Workflow{Current: "fix", Transitions: known}, 0, "intake"},
		{"in the turn of one", Workflow{Transitions: known}, 1, "triage"},
		{"between", Workflow{Transitions: known}, 2, "triage"},
		{"after the last", Workflow{Transitions: known}, 9, "fix"},
		{"turns not known", Workflow{Transitions: []Transition{{"a", "b", "", -1}, {"b", "c", "", -1}}}, 0, "c"},
		{"one turn not known, before", Workflow{Transitions: append(known[:1:1], Transition{"triage", "x", "", -1})}, 0, "intake"},
		{"one turn not known, after", Workflow{Transitions: append(known[:1:1], Transition{"triage", "x", "", -1})}, 1, "x"},
		{"two in one turn", Workflow{Transitions: []Transition{{"a", "b", "", 2}, {"b", "c", "", 2}}}, 2, "c"},
	} {
		if got := tc.w.stateAt(tc.turn); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// TestWholeKeepsWhatIsShared: the conversation of a turn's subject shares its services and data.
func TestWholeKeepsWhatIsShared(t *testing.T) {
	t.Parallel()
	s := &Subject{
		Messages: conversation(), Start: 6, Turn: 1, Tools: &struct{ fakeTools }{}, Workflow: &Workflow{}, ElapsedMS: new(5.0),
		Composition: &Composition{},
	}
	w := s.Conversation()
	if w.Tools != s.Tools || w.Workflow != s.Workflow || w.Composition != s.Composition || w.ElapsedMS != s.ElapsedMS {
		t.Errorf("%+v", w)
	}
	s.Earlier = append(s.Earlier, EvalResult{ID: "late"})
	if len(s.Conversation().Earlier) != 1 {
		t.Error("an eval that ran after the first look is not there")
	}
}

func TestGuardrailAsAnEval(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, params string
		earlier      []EvalResult
		want         result.Status
	}{
		{"by type", `{"guardrail": "max_length"}`, []EvalResult{{ID: "a", Type: "length", Score: 0}}, result.Passed},
		{"by id", `{"guardrail": "tone"}`, []EvalResult{{ID: "tone", Type: "regex", Score: 0.5}}, result.Passed},
		{"the newest counts", `{"guardrail": "tone"}`, []EvalResult{{ID: "tone", Type: "regex", Score: 0}, {ID: "tone", Type: "regex", Score: 1}}, result.Failed},
		{"another one", `{"guardrail": "tone"}`, []EvalResult{{ID: "other", Type: "regex", Score: 0}}, result.Failed},
		{"of an earlier turn", `{"guardrail": "tone", "should_trigger": false}`,
			[]EvalResult{{ID: "tone", Type: "regex", Turn: -1}}, result.Passed},
		{"skipped", `{"guardrail": "tone", "should_trigger": false}`,
			[]EvalResult{{ID: "tone", Type: "regex", Skipped: true}}, result.Passed},
		{"could not judge", `{"guardrail": "tone", "should_trigger": false}`,
			[]EvalResult{{ID: "tone", Type: "regex", Error: "down"}}, result.Errored},
		{"no eval has a direction", `{"guardrail": "tone", "direction": "output"}`, []EvalResult{{ID: "tone", Type: "regex", Score: 0}},
			result.Failed},
		{"an eval is no guardrail by itself", `{"should_trigger": false}`, []EvalResult{{ID: "tone", Type: "regex", Score: 0}}, result.Passed},
	} {
		compiled, problems := compileJSON(&Compiler{}, "guardrail_triggered", tc.params, ScopeTurn, nil)
		if compiled == nil {
			t.Fatalf("%s: %v", tc.name, problems)
		}
		s := replied("fine")
		s.Earlier = tc.earlier
		if v := compiled.Judge(t.Context(), s); v.Status != tc.want {
			t.Errorf("%s: %s, want %s (%s)", tc.name, v.Status, tc.want, v.Explanation)
		}
	}
}
