package checks

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/secret"
)

// TestWhatWasTakenOut holds that no ban passes over a stored conversation of which a part was taken out, and that other
// checks, and conversations that are had now, are judged as they stand.
func TestWhatWasTakenOut(t *testing.T) {
	t.Parallel()
	said := chat.Message{
		Role: chat.Assistant, Content: "The key is " + secret.Redacted,
		ToolCalls: []chat.ToolCall{{ID: "1", Name: "get", Args: map[string]any{"card": secret.Redacted}}},
	}
	args := []Call{{Name: "get", Args: map[string]any{"card": secret.Redacted}}}
	for _, c := range []struct {
		name, params string
		bans         bool
	}{
		{"content_excludes", `{"patterns": ["4242"]}`, true},
		{"regex", `{"pattern": "4\\d+", "expect_match": false}`, true},
		{"regex", `{"pattern": "key"}`, false},
		{"not", `{"check": {"type": "contains", "params": {"patterns": ["4242"]}}}`, true},
		{"not", `{"check": {"type": "tool_calls_with_args", "params": {"tool_name": "get", "expected_args": {"card": "4"}}}}`, true},
		{"not", `{"check": {"type": "tools_called", "params": {"tools": ["set"]}}}`, false},
		{"any_of", `{"checks": [{"type": "content_excludes", "params": {"patterns": ["4242"]}}]}`, true},
		{"tools_not_called_with_args", `{"tool_name": "get", "excluded_args": {"card": "4242"}}`, true},
		{"no_repeat_calls", `{}`, true},
		{"contains", `{"patterns": ["key"]}`, false},
		{"tools_called", `{"tools": ["get"]}`, false},
		{"tools_not_called", `{"tools": ["set"]}`, false},
	} {
		for _, stored := range []bool{false, true} {
			s := &Subject{
				Messages: []chat.Message{{Role: chat.User, Content: "hi"}, said}, Calls: args, AllCalls: args,
				Session: true, Turn: -1, Stored: stored,
			}
			v := judgeJSON(t, s, c.name, c.params)
			want := result.Passed
			if stored && c.bans {
				want = result.Errored
			}
			if v.Status != want || want == result.Errored && !strings.Contains(v.Error, "may hide") {
				t.Errorf("%s %s, stored %v: %s %s%s, want %s", c.name, c.params, stored, v.Status, v.Error, v.Explanation, want)
			}
		}
	}
}
