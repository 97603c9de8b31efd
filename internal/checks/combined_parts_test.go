package checks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// part is a check that returns the given finding and records that it ran.
func part(name string, needs Needs, ran *[]string, f Finding, err error) *Compiled {
	return &Compiled{
		Spelling: &Spelling{Def: &Def{Name: name, Needs: needs}, Type: name}, Terms: noTerms,
		Check: stub(func(context.Context, *Subject) (Finding, error) {
			*ran = append(*ran, name)
			return f, err
		}),
	}
}

func combined(c Check) *Compiled {
	return &Compiled{Spelling: &Spelling{Def: allOfDef, Type: "combined"}, Terms: noTerms, Check: c}
}

func TestCombinationsRunTheCheapBeforeTheDear(t *testing.T) {
	t.Parallel()
	score := func(f float64) Finding { return Finding{Score: f, Explanation: "seen"} }
	for _, tc := range []struct {
		name  string
		check func(parts) Check
		cheap float64
		ran   string
		want  result.Status
	}{
		{"all, still open", func(p parts) Check { return &conjunction{p} }, 1, "cheap tool judge", result.Passed},
		{"all, lost", func(p parts) Check { return &conjunction{p} }, 0, "cheap", result.Failed},
		{"all, failed but not at zero", func(p parts) Check { return &conjunction{p} }, 0.5, "cheap tool judge", result.Failed},
		{"any, still open", func(p parts) Check { return &disjunction{p} }, 0.5, "cheap tool", result.Passed},
		{"any, won", func(p parts) Check { return &disjunction{p} }, 1, "cheap", result.Passed},
		{"weighted", func(p parts) Check { return &weighted{p, []float64{1, 1, 1}, 0.5, true} }, 0, "cheap tool judge",
			result.Passed},
	} {
		var ran []string
		p := parts{
			part("judge", NeedsModel, &ran, score(1), nil), part("tool", NeedsTool, &ran, score(1), nil),
			part("cheap", NeedsReply, &ran, score(tc.cheap), nil),
		}
		v := combined(tc.check(p)).Judge(t.Context(), replied("x"))
		if got := strings.Join(ran, " "); got != tc.ran || v.Status != tc.want {
			t.Errorf("%s: ran %s, %s (%s%s); want %s, %s", tc.name, got, v.Status, v.Explanation, v.Error, tc.ran, tc.want)
		}
		// The report lists the parts in the order of the file, whichever ran.
		var types []string
		for _, d := range v.Details["checks"].([]Details) {
			types = append(types, fmt.Sprint(d["type"]))
		}
		if diff := cmp.Diff([]string{"judge", "tool", "cheap"}, types); diff != "" {
			t.Error(tc.name, diff)
		}
	}
}

func TestAnErrorOfAPartIsAnErrorOfTheWhole(t *testing.T) {
	t.Parallel()
	down := errors.New("the judge cannot be reached")
	for name, bad := range map[string]*Compiled{
		"error": part("judge", NeedsModel, new([]string), Finding{}, down),
		"score": part("judge", NeedsModel, new([]string), Finding{Score: math.NaN()}, nil),
		"panic": {
			Spelling: &Spelling{Def: &Def{Name: "judge"}, Type: "judge"}, Terms: noTerms,
			Check: stub(func(context.Context, *Subject) (Finding, error) { panic("oh") }),
		},
	} {
		failing := part("fails", NeedsReply, new([]string), Finding{Score: 0.5}, nil)
		passing := part("passes", NeedsReply, new([]string), Finding{Score: 0.9, Holds: new(true)}, nil)
		for _, c := range []Check{
			&negation{parts{bad}}, &conjunction{parts{failing, bad}}, &disjunction{parts{passing, bad}},
			&weighted{parts{passing, bad}, []float64{9, 1}, 0.1, true}, &negation{parts{combined(&conjunction{parts{bad}})}},
		} {
			v := combined(c).Judge(t.Context(), replied("x"))
			if v.Status != result.Errored || v.Passed || !strings.Contains(v.Error, "judge") {
				t.Errorf("%s: %T: %s %q", name, c, v.Status, v.Error)
			}
		}
	}
}

func TestACancelledPartCancelsTheWhole(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	waits := part("waits", NeedsModel, new([]string), Finding{}, context.Canceled)
	if v := combined(&negation{parts{waits}}).Judge(ctx, replied("x")); v.Status != result.Cancelled || v.Passed {
		t.Errorf("%s: %+v", v.Status, v)
	}
}

func TestCombinationsNeedWhatTheirPartsNeed(t *testing.T) {
	t.Parallel()
	compiled, problems := compileJSON(&Compiler{}, "all_of", `{"checks": [
		{"type": "not", "params": {"check": {"type": "tools_called", "params": {"tool_names": ["x"]}}}},
		{"type": "cosine_similarity", "params": {"reference": "hello", "min_similarity": 0.5}},
		{"type": "max_cost", "params": {"max_usd": 1}}
	]}`, ScopeTurn, nil)
	if compiled == nil {
		t.Fatal(problems)
	}
	if got, want := compiled.Needs(), NeedsCalls|NeedsReply|NeedsEmbedding|NeedsUsage; got != want {
		t.Errorf("needs %b, want %b", got, want)
	}
	if n := len(compiled.Nested()); n != 3 || len(compiled.Nested()[0].Nested()) != 1 {
		t.Errorf("%d parts", n)
	}
	plain, _ := compileJSON(&Compiler{}, "cosine_similarity", `{"reference": [1, 0]}`, ScopeTurn, nil)
	if plain.Needs() != NeedsReply|NeedsCompute || plain.Nested() != nil {
		t.Errorf("a vector needs %b", plain.Needs())
	}
}

// TestPartsKeepTheirScope: a part sees the same as it would alone, with its own scope and the check for a missing
// reply.
func TestPartsKeepTheirScope(t *testing.T) {
	t.Parallel()
	s := &Subject{Turn: 1, Start: 2, Messages: []chat.Message{
		{Role: chat.User, Content: "a"}, {Role: chat.Assistant, Content: "one"},
		{Role: chat.User, Content: "b"}, {Role: chat.Assistant, Content: "two"},
	}}
	v := judgeJSON(t, s, "all_of", `{"checks": [{"type": "max_turns", "params": {"max": 1}},
		{"type": "equals", "params": {"value": "two"}}]}`)
	if v.Status != result.Failed || !strings.Contains(v.Explanation, "max_turns: 2 model calls, at most 1 allowed") {
		t.Errorf("%s: %s%s", v.Status, v.Explanation, v.Error)
	}
}

func judgeJSON(t *testing.T, s *Subject, name, params string) result.Verdict {
	t.Helper()
	compiled, problems := compileJSON(&Compiler{}, name, params, ScopeTurn, nil)
	if compiled == nil {
		t.Fatal(problems)
	}
	return compiled.Judge(t.Context(), s)
}

func TestProblemsInPartsHaveTheirPlaces(t *testing.T) {
	t.Parallel()
	_, problems := compileJSON(&Compiler{}, "any_of", `{"checks": [
  {"type": "contains", "params": {"patterns": []}},
  {"type": "not", "params": {"check": {"type": "regex", "params": {"pattern": "("}}}},
  {"type": "contains", "params": {"patterns": ["x"]}, "min_score": 0.9, "max_score": 0.1},
  {"type": "contains", "params": {"patterns": ["x"]}, "weight": 2},
  {"type": "llm_jduge"}
]}`, ScopeTurn, nil)
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%d:%d %s", p.Pos.Line, p.Pos.Col, p.Code))
	}
	want := []string{
		"2:47 empty-value", "3:79 bad-regex", "4:34 out-of-range", "5:55 unknown-field", "6:12 unknown-check",
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v (-want +got):\n%s", problems, diff)
	}
}

// TestNestingCanBeDeep: deep nesting costs no more than its text.
func TestNestingCanBeDeep(t *testing.T) {
	t.Parallel()
	const depth = 98 // within the outermost one
	params := strings.Repeat(`{"check": {"type": "not", "params": `, depth) +
		`{"check": {"type": "contains", "params": {"patterns": ["x"]}}}` + strings.Repeat("}}", depth)
	if v := judgeJSON(t, replied("x"), "not", params); v.Status != result.Failed {
		t.Errorf("%s: %s%s", v.Status, v.Explanation, v.Error)
	}
}
