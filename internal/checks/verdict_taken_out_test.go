package checks

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/secret"
)

// TestWhatWasTakenOut: no check passes or fails because of redacted values in a stored conversation. Verdicts that are
// certain nevertheless, and verdicts on live conversations, stay. internal/conformance tries all checks.
func TestWhatWasTakenOut(t *testing.T) {
	t.Parallel()
	said := chat.Message{
		Role: chat.Assistant, Content: "The key is " + secret.Redacted,
		ToolCalls: []chat.ToolCall{{ID: "1", Name: "get", Args: map[string]any{"card": secret.Redacted}}},
	}
	answer := chat.ToolResult{ID: "1", Name: "get", Content: `{"ok": true, "card": "` + secret.Redacted + `"}`}
	args := []Call{{Name: "get", Args: map[string]any{"card": secret.Redacted, "id": "A-1"}, Result: answer.Content}}
	for _, c := range []struct {
		name, params string
		live         string // the status in the run itself
		hidden       bool
	}{
		{"content_excludes", `{"patterns": ["4242"]}`, "passed", true},
		{"content_excludes", `{"patterns": ["KEY"]}`, "failed", false},
		{"regex", `{"pattern": "4\\d+", "expect_match": false}`, "passed", true},
		{"regex", `{"pattern": "key"}`, "passed", false},
		{"regex", `{"pattern": "^[^0-9]*$"}`, "passed", true},
		{"contains", `{"patterns": ["key"]}`, "passed", false},
		{"contains", `{"patterns": ["key"], "max_score": 0}`, "failed", false},
		{"contains", `{"patterns": ["4242"]}`, "failed", true},
		{"contains", `{"patterns": ["4242"], "max_score": 0}`, "passed", true},
		{"contains", `{"patterns": ["key", "4242"], "min_score": 0.5}`, "passed", false},
		{"contains", `{"patterns": ["key", "4242"], "max_score": 0.5}`, "passed", true},
		{"contains", `{"patterns": ["redacted"]}`, "passed", true},
		{"starts_with", `{"value": "The"}`, "passed", false},
		{"ends_with", `{"value": "4242", "max_score": 0}`, "passed", true},
		{"max_length", `{"max": 40}`, "passed", true},
		{"max_length", `{"max": 5, "max_score": 0.9}`, "passed", false},
		{"min_length", `{"min": 3}`, "passed", false},
		{"min_length", `{"min": 13}`, "passed", true},
		{"word_count", `{"max": 4}`, "passed", true},
		{"equals", `{"value": "The key is 4242", "max_score": 0}`, "passed", true},
		{"json_valid", `{"max_score": 0}`, "passed", true},
		{"is_refusal", `{"expect": false}`, "passed", true},
		{"pii_leakage", `{"patterns_only": true}`, "passed", true},
		{"not", `{"check": {"type": "contains", "params": {"patterns": ["4242"]}}}`, "passed", true},
		{"not", `{"check": {"type": "tool_calls_with_args", "params": {"tool_name": "get", "expected_args": {"card": "4"}}}}`,
			"passed", true},
		{"not", `{"check": {"type": "tools_called", "params": {"tools": ["set"]}}}`, "passed", false},
		{"not", `{"check": {"type": "tool_result_includes", "params": {"patterns": ["4242"]}}}`, "passed", true},
		{"any_of", `{"checks": [{"type": "content_excludes", "params": {"patterns": ["4242"]}}]}`, "passed", true},
		{"all_of", `{"checks": [{"type": "contains", "params": {"patterns": ["key", "4242"], "min_score": 0.5}}]}`,
			"passed", false},
		{"all_of", `{"max_score": 0.5, "checks": [{"type": "contains", "params": {"patterns": ["key", "4242"], "min_score": 0.5}}]}`,
			"passed", true},
		{"tools_not_called_with_args", `{"tool_name": "get", "excluded_args": {"card": "4242"}}`, "passed", true},
		{"tools_not_called_with_args", `{"tool_name": "get", "excluded_args": {"id": "A-2"}}`, "passed", false},
		{"tool_args", `{"tool_name": "get", "expected_args": {"id": "A-1"}}`, "passed", false},
		{"tool_calls_with_args", `{"tool_name": "get", "result_includes": ["true"]}`, "passed", false},
		{"tool_calls_with_args", `{"tool_name": "get", "result_includes": ["4242"], "max_score": 0}`, "passed", true},
		{"tool_result_includes", `{"patterns": ["true"]}`, "passed", false},
		{"tool_result_includes", `{"patterns": ["4242"], "max_score": 0}`, "passed", true},
		{"tool_result_matches", `{"pattern": "4\\d+", "max_score": 0}`, "passed", true},
		{"no_repeat_calls", `{}`, "passed", true},
		{"tools_called", `{"tools": ["get"]}`, "passed", false},
		{"tools_not_called", `{"tools": ["set"]}`, "passed", false},
		{"llm_judge", `{"criteria": "says no number"}`, "passed", true},
	} {
		for _, session := range []bool{false, true} {
			for _, stored := range []bool{false, true} {
				s := &Subject{
					Messages: []chat.Message{{Role: chat.User, Content: "hi"}, said, {Role: chat.ToolRole, ToolResult: &answer}},
					Calls:    args, AllCalls: args, Session: session, Stored: stored, Judges: judgesSaying(`{"score": 1, "reasoning": "fine"}`),
				}
				v := judgeJSON(t, s, c.name, c.params)
				want := c.live
				if stored && c.hidden {
					want = "error"
				}
				if v.Status.String() != want || want == "error" && !strings.Contains(v.Error, "may hide") {
					t.Errorf("%s %s, stored %v: %s %s%s, want %s", c.name, c.params, stored, v.Status, v.Error, v.Explanation, want)
				}
			}
		}
	}
}
