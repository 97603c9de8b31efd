package checks

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestBansOfWhichOneIsEnough: arena warns if one of several bans is enough to pass.
func TestBansOfWhichOneIsEnough(t *testing.T) {
	t.Parallel()
	const (
		a, b   = `{"type": "contains", "params": {"patterns": ["a"]}}`, `{"type": "contains", "params": {"patterns": ["b"]}}`
		notA   = `{"type": "content_excludes", "params": {"patterns": ["a"]}}`
		notB   = `{"type": "regex", "params": {"pattern": "b", "expect_match": false}}`
		uncall = `{"type": "tools_not_called", "params": {"tools": ["a"]}}`
		called = `{"type": "tools_called", "params": {"tools": ["a"]}}`
		short  = `{"type": "max_length", "params": {"max": 9}}`
		firm   = `{"type": "content_excludes", "params": {"patterns": ["a"], "min_score": 1}}`
	)
	of := func(combined, rest string, parts ...string) string {
		return `{"type": "` + combined + `", "params": {"checks": [` + strings.Join(parts, ", ") + `]` + rest + `}}`
	}
	not := func(check string) string { return `{"type": "not", "params": {"check": ` + check + `}}` }
	for _, tc := range []struct {
		check string
		want  string // "": no warning
	}{
		{of("any_of", "", notA, notB), "as soon as one of the 2 bans"},
		{of("any_of", "", uncall, uncall, notA), "as soon as one of the 3 bans"},
		{of("any_of", "", not(a), not(b)), "as soon as one of the 2 bans"},
		{of("any_of", "", notA, short), "as soon as one of the 2 bans"},
		{of("any_of", "", of("all_of", "", notA, notB), not(called)), "as soon as one of the 2 bans"},
		{not(of("all_of", "", a, b)), "as soon as one of the 2 checks in it does not"},
		{not(of("all_of", "", called, called)), "as soon as one of the 2 checks in it does not"},
		{of("all_of", `, "max_score": 0.5`, a, b), "as soon as one of the 2 checks in it does not"},
		{not(of("weighted", `, "threshold": 0.9`, a, b)), "as soon as one of the 2 checks in it does not"},
		{not(of("weighted", "", a, b)), "as soon as one of the 2 checks in it does not"},
		{of("weighted", `, "threshold": 0.6`, notA, b, short), "the ban content_excludes in it may be broken"},
		{`{"type": "contains", "params": {"patterns": ["a", "b"], "max_score": 0.9}}`,
			"although 1 of the 2 patterns are there"},
		{`{"type": "contains", "params": {"patterns": ["a", "b", "c"], "max_score": 0.7}}`,
			"although 2 of the 3 patterns are there"},

		{of("any_of", "", notA), ""},
		{of("any_of", "", notA, b), ""}, // a, but then also b
		{of("any_of", "", uncall, called), ""},
		{of("any_of", "", a, b), ""},
		{of("all_of", "", notA, notB), ""},
		{not(of("any_of", "", a, b)), ""},
		{not(of("all_of", "", a, called)), ""}, // not both
		{not(of("all_of", "", a)), ""},
		{of("any_of", `, "max_score": 0.5`, a, b), ""},
		{of("weighted", `, "threshold": 0.6`, firm, b, short), ""},
		{of("weighted", `, "threshold": 0.9`, notA, b, short), ""},
		{of("weighted", "", notA, b, short), ""},
		{of("weighted", `, "threshold": 0.6`, a, b, short), ""},
		{not(of("weighted", `, "threshold": 0.5`, a, b)), ""},
		{`{"type": "contains", "params": {"patterns": ["a", "b"], "max_score": 0.4}}`, ""},
		{`{"type": "contains", "params": {"patterns": ["a"], "max_score": 0.5}}`, ""},
		{`{"type": "contains", "params": {"patterns": ["a", "b"], "max_score": 0}}`, ""},
	} {
		_, problems := compileJSON(&Compiler{}, "all_of", `{"checks": [`+tc.check+`]}`, ScopeTurn, nil)
		told := strings.Join(turnedRound(problems), "\n")
		for _, p := range problems {
			if p.Severity == diag.Error {
				t.Errorf("%s: %v", tc.check, p)
			}
		}
		if tc.want == "" && told != "" || !strings.Contains(told, tc.want) || strings.Count(told, "\n") > 0 {
			t.Errorf("%s: want %q, told %q", tc.check, tc.want, told)
		}
	}
}

// TestGuardrailsOfWhichAllMustFire: a guardrail with an any_of over bans fires only if all of them are broken.
func TestGuardrailsOfWhichAllMustFire(t *testing.T) {
	t.Parallel()
	spec := checkOf(t, `type: any_of
params:
  checks: [{type: content_excludes, params: {patterns: [a]}}, {type: max_length, params: {max: 5}}]
`)
	spec.Surface = scenario.Guardrail
	var d diag.List
	(&Compiler{}).Compile(spec, &d)
	if told := turnedRound(d.Sorted()); len(told) != 1 || !strings.Contains(told[0], "fires only where all 2 would") {
		t.Errorf("told %q", told)
	}
}
