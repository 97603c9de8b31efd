package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

// told returns the messages and hints of problems with this code.
func told(problems []diag.Diagnostic, code string) (texts []string) {
	for _, p := range problems {
		if p.Code == code && p.Severity == diag.Warning {
			texts = append(texts, p.Msg+" = "+p.Hint)
		}
	}
	return texts
}

// TestLoosenedLimits: there is a warning of a min_score that changes a limit, with the effective limit.
func TestLoosenedLimits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ check, params, want string }{
		{"max_length", `"max": 6, "min_score": 0.01`, "max: 600"},
		{"max_length", `"max_tokens": 6, "max": 10, "min_score": 0.5`, "max: 20, max_tokens: 12"},
		{"length", `"max": 6, "min_score": 0.7`, "max: 8"},
		{"min_length", `"min": 10, "min_score": 0.25`, "min: 3"},
		{"sentence_count", `"max": 1, "min_score": 0.1`, "max: 10"},
		{"word_count", `"min": 10, "max": 20, "min_score": 0.5`, "min: 5, max: 40"},
		{"latency_budget", `"max_ms": 10, "min_score": 0.1`, "max_ms: 100"},
		{"all_of", `"min_score": 0.5, "checks": [` + asCheck("max_length", `"max": 6`) + `]`, "max: 12"},
		{"any_of", `"min_score": 0.5, "checks": [` + asCheck("all_of", `"checks": [`+asCheck("max_length", `"max": 6`)+`]`) + `]`,
			"max: 12"},

		{"max_length", `"max": 6, "min_score": 1`, ""},
		{"max_length", `"max": 2, "min_score": 0.8`, ""}, // 2 all the same
		{"max_length", `"max": 6, "min_score": 0.3, "max_score": 0.9`, ""},
		{"max_length", `"max": 600, "min_score": 0.9`, ""}, // a tolerance
		{"sentence_count", `"max": 0, "min_score": 0.5`, ""},
		{"max_turns", `"max": 6, "min_score": 0.5`, ""}, // 1 or 0
		{"cost_budget", `"max_cost_usd": 6, "min_score": 0.5`, ""},
		{"contains", `"patterns": [a, b], "min_score": 0.5`, ""},
		{"all_of", `"min_score": 0.5, "checks": [` + asCheck("max_length", `"max": 6, "min_score": 1`) + `]`, ""},
		{"weighted", `"min_score": 0.5, "checks": [` + asCheck("max_length", `"max": 6`) + `]`, ""}, // a mean
	} {
		_, problems := compileYAML(tc.check, "{"+tc.params+"}")
		got := told(problems, "loosened-limit")
		if tc.want == "" && len(got) > 0 || tc.want != "" && (len(got) != 1 || !strings.Contains(got[0], "what passes is "+tc.want+" instead of")) {
			t.Errorf("%s {%s}: want %q, told %q of %v", tc.check, tc.params, tc.want, got, problems)
		}
	}
}

// TestLoosenedLimitsAreTheOnesThatHold: the bound in the warning is exact: it passes, and one more does not.
func TestLoosenedLimitsAreTheOnesThatHold(t *testing.T) {
	t.Parallel()
	for _, score := range []string{"0.1", "0.3", "0.5", "0.7", "0.85"} {
		c, _ := compileYAML("max_length", "{max: 7, min_score: "+score+"}")
		most := int(c.Check.(byDegrees).bounds()[0].at(*c.MinScore))
		for n, want := range map[int]bool{most: true, most + 1: false} {
			if v := c.Judge(t.Context(), replied(strings.Repeat("x", n))); v.Passed != want {
				t.Errorf("min_score %s: %d characters: %v", score, n, v.Passed)
			}
		}
		c, _ = compileYAML("min_length", "{min: 17, min_score: "+score+"}")
		least := int(c.Check.(byDegrees).bounds()[0].at(*c.MinScore))
		for n, want := range map[int]bool{least: true, least - 1: false} {
			if v := c.Judge(t.Context(), replied(strings.Repeat("x", n))); n > 0 && v.Passed != want {
				t.Errorf("min_score %s: %d characters: %v", score, n, v.Passed)
			}
		}
	}
}

// TestChecksByDegreesHaveBounds: every check that scores by shareOf declares its bounds.
func TestChecksByDegreesHaveBounds(t *testing.T) {
	t.Parallel()
	names := []string{"max_length", "min_length", "sentence_count", "word_count", "latency_budget"}
	for _, d := range builtin {
		if own := strings.Contains(d.Scoring, " / ") && cleanOf(d, nil) == Limits && d.Name != "cost_budget" &&
			d.Name != "tool_efficiency"; own && !slices.Contains(names, d.Name) {
			t.Errorf("%s is a limit by degrees, and has no bounds", d.Name)
		}
	}
}

// TestOpposites: an any_of of a check and its opposite always passes.
func TestOpposites(t *testing.T) {
	t.Parallel()
	not := func(check string) string { return `{"type": "not", "params": {"check": ` + check + `}}` }
	c := func(check, params string) string { return asCheck(check, params) }
	for _, tc := range []struct {
		one, other string
		want       bool
	}{
		{c("contains", `"patterns": ["a"]`), not(c("contains", `"patterns": ["a"]`)), true},
		{c("contains", `"patterns": ["a"]`), not(c("content_includes", `"patterns": "a"`)), true},
		{c("contains", `"patterns": ["a"]`), c("content_excludes", `"patterns": ["a"]`), true},
		{c("contains", `"patterns": ["a"]`), c("banned_words", `"words": ["a"]`), true},
		{c("contains_any", `"patterns": ["a"]`), c("content_excludes", `"patterns": ["a"]`), true},
		{c("contains", `"patterns": ["a", "b"]`), not(c("contains", `"patterns": ["a", "b"]`)), true},
		{c("regex", `"pattern": "a"`), c("regex", `"pattern": "a", "expect_match": false`), true},
		{c("is_refusal", ``), c("is_refusal", `"expect": false`), true},
		{c("is_refusal", ``), not(c("is_refusal", `"expect": true`)), true},
		{c("guardrail_triggered", `"guardrail": "g"`), c("guardrail_triggered", `"should_trigger": false, "validator": "g"`), true},
		{c("agent_invoked", `"agents": ["g"]`), c("agent_not_invoked", `"agent_names": ["g"]`), true},
		{not(not(c("json_valid", ``))), not(c("json_valid", ``)), true},

		{c("contains", `"patterns": ["a"]`), c("content_excludes", `"patterns": ["b"]`), false},
		{c("contains", `"patterns": ["a", "b"]`), c("content_excludes", `"patterns": ["a", "b"]`), false},
		{c("contains", `"patterns": ["a"]`), c("contains", `"patterns": ["a"]`), false},
		{c("contains", `"patterns": ["a"]`), not(c("contains", `"patterns": ["a"], "case_sensitive": true`)), false},
		{c("contains", `"patterns": ["a", "b"], "min_score": 0.5`), not(c("contains", `"patterns": ["a", "b"]`)), false},
		{c("regex", `"pattern": "a"`), c("regex", `"pattern": "b", "expect_match": false`), false},
		{c("tools_called", `"tools": ["a"]`), c("tools_not_called", `"tools": ["a"]`), false}, // a failed call is neither
	} {
		_, problems := compileJSON(&Compiler{}, "any_of", `{"checks": [`+tc.one+", "+tc.other+`]}`, ScopeTurn, nil)
		if got := told(problems, "cannot-fail"); len(got) == 1 != tc.want {
			t.Errorf("any_of %s, %s: want %v: %v", tc.one, tc.other, tc.want, problems)
		}
		for _, p := range problems {
			if p.Severity == diag.Error {
				t.Errorf("any_of %s, %s: %v", tc.one, tc.other, p)
			}
		}
	}
}
