package checks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

func turnedRound(problems []diag.Diagnostic) (told []string) {
	for _, p := range problems {
		if p.Code == "turned-round" && p.Severity == diag.Warning && p.Hint != "" {
			told = append(told, p.Msg+" = "+p.Hint)
		}
	}
	return told
}

// TestBansTurnedRound: a reversed ban gets one warning, and a ban that is reversed twice gets none.
func TestBansTurnedRound(t *testing.T) {
	t.Parallel()
	for check, params := range map[string]string{
		"content_excludes":           `"patterns": ["a"]`,
		"banned_words":               `"patterns": ["a"]`,
		"tools_not_called":           `"tool_names": ["a"]`,
		"tool_args_excluded_session": `"tool_name": "a", "excluded_args": {"b": "c"}`,
		"tool_anti_pattern":          `"patterns": [{"sequence": ["a", "b"]}]`,
		"agent_not_invoked":          `"agent_names": ["a"]`,
		"skill_not_activated":        `"skill_names": ["a"]`,
		"regex":                      `"pattern": "a", "expect_match": false`,
		"is_refusal":                 `"expect": false`,
		"guardrail_triggered":        `"should_trigger": false`,
		"max_cost":                   `"max_usd": 1`,
		"max_turns":                  `"max": 1`,
		"max_duration":               `"max_seconds": 1`,
		"max_length":                 `"max": 1`,
		"sentence_count":             `"max": 1`,
		"word_count":                 `"max": 1`,
		"tool_call_count":            `"max": 1`,
		"tool_efficiency":            `"max_calls": 1`,
		"cost_budget":                `"max_cost_usd": 1`,
		"latency_budget":             `"max_ms": 1`,
		"toxicity":                   ``,
		"bias":                       ``,
		"role_violation":             `"agent_role": "a"`,
		"hallucination":              `"context": "a"`,
		"pii_leakage":                ``,
	} {
		for _, way := range turnings {
			name := check
			if way.check != "" {
				name = way.check
			}
			given := strings.ReplaceAll(way.params(check, params), "{, ", "{")
			_, problems := compileJSON(&Compiler{}, name, given, ScopeTurn, nil)
			for _, p := range problems {
				if p.Severity == diag.Error {
					t.Errorf("%s: %s: %v", way.name, given, p)
				}
			}
			want := 1 // a reversed not gets a warning
			if slices.Contains([]string{
				"as it is", "not of max_score", "any_of", "all_of",
			}, way.name) {
				want = 0
			}
			if told := turnedRound(problems); len(told) != want {
				t.Errorf("%s: %s %s: want %d, told %q", way.name, name, given, want, told)
			}
		}
	}
}

// TestBansSayThatTheyAre: every check whose name says that it bans or limits something declares it.
func TestBansSayThatTheyAre(t *testing.T) {
	t.Parallel()
	for _, d := range Builtin() {
		bans := strings.HasPrefix(d.Name, "max_") || strings.Contains(d.Name, "exclude") || strings.Contains(d.Name, "_not_") ||
			strings.Contains(d.Name, "anti") || strings.Contains(d.Name, "repeat") || strings.HasSuffix(d.Name, "_budget") ||
			d.Name == "sentence_count" || d.Name == "tool_efficiency" ||
			strings.HasPrefix(d.Scoring, "1 without any") || strings.HasPrefix(d.Scoring, "1 when none") || d.Family == FamilySafety
		if bans != (d.Clean != NotClean) && d != notDef && d.Name != "is_refusal" && d.Name != "pii_leakage" {
			t.Errorf("%s: Clean is %d", d.Name, d.Clean)
		}
	}
}

// TestNotOverDegrees: a not over several texts or a grade passes as soon as one text is missing or the grade is not
// perfect.
func TestNotOverDegrees(t *testing.T) {
	t.Parallel()
	judge := `{"type": "llm_judge", "params": {"criteria": "rude"%s}}`
	for params, want := range map[string]bool{
		`{"check": ` + fmt.Sprintf(judge, "") + `}`:                                                                                         true,
		`{"check": ` + fmt.Sprintf(judge, `, "min_score": 0.5`) + `}`:                                                                       false,
		`{"check": ` + fmt.Sprintf(judge, "") + `, "min_score": 0.5}`:                                                                       false,
		`{"check": {"type": "any_of", "params": {"checks": [` + fmt.Sprintf(judge, "") + `]}}}`:                                             true,
		`{"check": {"type": "judge_verdict", "params": {"criteria": "leaks"}}}`:                                                             true,
		`{"check": {"type": "judge_verdict", "params": {"criteria": "leaks"}, "min_score": 0.5}}`:                                           false,
		`{"check": {"type": "rest_eval", "params": {"url": "https://e.example/x"}}}`:                                                        true,
		`{"check": {"type": "contains", "params": {"patterns": ["a", "b"]}}}`:                                                               true,
		`{"check": {"type": "contains", "params": {"patterns": ["a"]}}}`:                                                                    false,
		`{"check": {"type": "contains", "params": {"patterns": ["a", "b"]}, "min_score": 0.5}}`:                                             false,
		`{"check": {"type": "contains", "params": {"patterns": ["a", "b"]}}, "min_score": 0}`:                                               true,
		`{"check": {"type": "contains", "params": {"patterns": ["a", "b"]}}, "min_score": 0.5}`:                                             true,
		`{"check": {"type": "contains", "params": {"patterns": ["a", "b"]}}, "min_score": 0.6}`:                                             false,
		`{"check": {"type": "contains", "params": {"patterns": ["a", "b", "c"]}}, "min_score": 0.6}`:                                        true,
		`{"check": {"type": "contains", "params": {"patterns": ["a", "b"]}}, "min_score": 1}`:                                               false,
		`{"check": {"type": "any_of", "params": {"checks": [{"type": "contains", "params": {"patterns": ["a", "b"]}}]}}, "min_score": 0.5}`: true,
		`{"check": {"type": "tool_result_includes", "params": {"patterns": ["a", "b"]}}, "min_score": 1}`:                                   true,
		`{"check": {"type": "tool_calls_with_args", "params": {"tool_name": "a", "expected_args": {"n": 1}}}}`:                              true,
		`{"check": {"type": "tool_calls_with_args", "params": {"tool_name": "a"}}}`:                                                         false,
		`{"check": {"type": "tool_args", "params": {"tool_name": "a", "expected_args": {"n": 1}}}}`:                                         false,
		`{"check": {"type": "contains_any", "params": {"patterns": ["a", "b"]}}}`:                                                           false,
		`{"check": {"type": "field_presence", "params": {"fields": ["a", "b"]}}}`:                                                           true,
		`{"check": {"type": "tools_called", "params": {"tools": ["a", "b"]}}}`:                                                              true,
		`{"check": {"type": "agent_invoked", "params": {"agents": ["a", "b"]}}}`:                                                            true,
		`{"check": {"type": "skill_activated", "params": {"skill_names": ["a", "b"]}}}`:                                                     true,
		`{"check": {"type": "tool_result_includes", "params": {"patterns": ["a", "b"]}}}`:                                                   true,
		`{"check": {"type": "tool_result_includes", "params": {"patterns": ["a"]}}}`:                                                        false,
		`{"check": {"type": "agent_response_contains", "params": {"agent": "a", "patterns": ["a", "b"]}}}`:                                  true,
		`{"check": {"type": "tool_calls_with_args", "params": {"tool_name": "a", "result_includes": ["a", "b"]}}}`:                          true,
		`{"check": {"type": "tool_call_sequence", "params": {"sequence": ["a", "b"]}}}`:                                                     false,
	} {
		_, problems := compileJSON(&Compiler{}, "not", params, ScopeTurn, nil)
		if told := turnedRound(problems); len(told) == 1 != want || len(told) > 1 {
			t.Errorf("not %s: want %v: %v", params, want, problems)
		}
	}
	for params, want := range map[string]bool{`"expected_args": {"n": 1}, `: true, ``: false} {
		_, problems := compileJSON(&Compiler{}, "tool_calls_with_args", `{"tool_name": "a", `+params+`"max_score": 0}`, ScopeTurn, nil)
		if told := turnedRound(problems); len(told) == 1 != want {
			t.Errorf("tool_calls_with_args, %s max_score: want %v: %v", params, want, problems)
		}
	}
	for check, want := range map[string]bool{"contains": false, "tool_result_includes": true} {
		_, problems := compileJSON(&Compiler{}, check, `{"patterns": ["a", "b"], "max_score": 0}`, ScopeTurn, nil)
		if told := turnedRound(problems); len(told) == 1 != want {
			t.Errorf("%s: want %v: %v", check, want, problems)
		}
	}
}

// TestLimitsAndFormsOfTheLastReply: limits and forms in a check over conversations apply to the last reply alone.
func TestLimitsAndFormsOfTheLastReply(t *testing.T) {
	t.Parallel()
	for check, want := range map[string]bool{
		`word_count {"max": 3}`:                                  true,
		`word_count {"min": 1, "max": 3}`:                        true,
		`word_count {"min": 1}`:                                  true,
		`sentence_count {"max": 3}`:                              true,
		`json_path {"expression": "$.errors", "max_results": 0}`: true,
		`json_path {"expression": "$.price", "max": 5}`:          true,
		`json_path {"expression": "$.price", "min": 5}`:          true,
		`latency_budget {"max_ms": 20}`:                          true,
		`max_duration {"max_seconds": 20}`:                       false,
		`json_valid {}`:                                          true,
		`json_schema {"schema": {"type": "object"}}`:             true,
		`starts_with {"value": "Dear"}`:                          true,
		`finish_reason {"reasons": ["stop"]}`:                    true,
		`any_of {"checks": [{"type": "json_valid"}]}`:            true,
		`contains {"patterns": ["a"]}`:                           false,
		`contains_any {"patterns": ["a"]}`:                       false,
		`equals {"value": "a"}`:                                  false,
		`tool_call_count {"max": 3}`:                             false, // it counts the calls of all turns
	} {
		name, params, _ := strings.Cut(check, " ")
		c, problems := compileJSON(&Compiler{}, name, params, ScopeSession, nil)
		if c == nil {
			t.Fatal(problems)
		}
		if _, _, got := c.OfLastReplyAlone(); got != want {
			t.Errorf("%s: %v", check, got)
		}
	}
}
