package checks

import (
	"fmt"
	"testing"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

// TestTwoLimitsBothHold: a min_score does not replace a limit of the check itself, whichever is stricter.
func TestTwoLimitsBothHold(t *testing.T) {
	t.Parallel()
	const grade = `{"type": "llm_judge", "params": {"criteria": "polite", "min_score": 0.95}}`
	const half = `{"type": "contains", "params": {"patterns": ["idiot", "sorry"]}}`
	for _, tc := range []struct {
		check, params, least string
		want                 result.Status
	}{
		{"not", `"check": {"type": "contains", "params": {"patterns": ["idiot", "sorry"], "min_score": 0.5}}`, "0.1",
			result.Failed},
		{"not", `"check": ` + half, "0.1", result.Passed},
		{"not", `"check": ` + half, "0.6", result.Failed},
		{"any_of", `"checks": [{"type": "contains", "params": {"patterns": ["sorry"]}}, ` + grade + `]`, "0.5",
			result.Failed},
		{"any_of", `"checks": [` + half + `, ` + grade + `]`, "0.5", result.Passed},
		{"any_of", `"checks": [` + half + `, ` + grade + `]`, "0.6", result.Failed},
		{"all_of", `"checks": [` + grade + `]`, "0.3", result.Failed},
		{"all_of", `"checks": [` + half + `]`, "0.3", result.Passed},
		{"all_of", `"checks": [{"type": "any_of", "params": {"checks": [` + grade + `]}}]`, "0.3", result.Failed},
		{"weighted", `"threshold": 0.9, "checks": [` + half + `]`, "0.1", result.Failed},
		{"weighted", `"checks": [` + half + `]`, "0.1", result.Passed},
		{"weighted", `"checks": [` + half + `, ` + grade + `]`, "0.1", result.Failed},
		{"levenshtein", `"reference": "Good day to you", "min_similarity": 0.9`, "0.1", result.Failed},
		{"levenshtein", `"reference": "Good day to you", "max_distance": 2`, "0.1", result.Failed},
		{"levenshtein", `"reference": "Good day to you"`, "0.1", result.Passed},
		{"levenshtein", `"reference": "You idiot", "min_similarity": 0.1`, "0.9", result.Passed},
		{"trajectory", `"steps": [{"tool": "a"}, {"tool": "b"}], "min_accuracy": 0.9`, "0.3", result.Failed},
		{"trajectory", `"steps": [{"tool": "a"}, {"tool": "b"}]`, "0.3", result.Passed},
		{"directional", `"check": "similar_content", "baseline_content": "You fool", "threshold": 0.9`, "0.1", result.Failed},
		{"directional", `"check": "similar_content", "baseline_content": "You fool"`, "0.1", result.Passed},
	} {
		t.Run(fmt.Sprint(tc.check, tc.params, tc.least), func(t *testing.T) {
			t.Parallel()
			c := compiledJSON(t, tc.check, `{`+tc.params+`, "min_score": `+tc.least+`}`)
			s := replied("You idiot")
			s.Judges = judgesSaying("a", `{"score": 0.9}`)
			s.Calls = []Call{{Name: "a"}}
			s.AllCalls = s.Calls
			v := c.Judge(t.Context(), s)
			if v.Status != tc.want {
				t.Errorf("%s: %s%s", v.Status, v.Explanation, v.Error)
			}
			if v.Status == result.Failed && !c.DecidesItself() && *v.Score >= *c.MinScore {
				t.Errorf("a worker's score alone would pass")
			}
		})
	}
}

// TestEveryOwnLimitHolds: for every check with a limit of its own, a low min_score does not make up for breaking it.
func TestEveryOwnLimitHolds(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, d := range Builtin() {
		if !d.Decides {
			continue
		}
		for _, params := range exampleParams(t, d.Name) {
			delete(params, "max_score")
			params["min_score"] = 0.01
			c, _ := compileJSON(&Compiler{}, d.Name, jsonvalue.Compact(params), ScopeTurn, nil)
			if c == nil || !c.limitedItself() {
				continue
			}
			tried[d.Name] = true
			if c.Nested() == nil && c.passes(Finding{Score: 0.5, Holds: new(false)}) {
				t.Errorf("%s %s: passes although its own limit is broken", d.Name, jsonvalue.Compact(params))
			}
		}
		if !tried[d.Name] && d.Name != "any_of" { // its parts have the limits; see TestTwoLimitsBothHold
			t.Errorf("%s: no example has a limit of the check itself", d.Name)
		}
	}
}
