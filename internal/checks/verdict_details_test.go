package checks

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFailureDetails: details of failures that users' scripts read.
func TestFailureDetails(t *testing.T) {
	t.Parallel()
	weather := []Call{{Name: "get_weather", Args: map[string]any{"city": "SF"}}}
	for _, tc := range []struct {
		check, params string
		want          map[string]any // a part of them
	}{
		{"contains", `{"patterns": ["us", "Paris"]}`, map[string]any{"missing_patterns": []string{"Paris"}}},
		{"regex", `{"pattern": "(?i)email"}`, map[string]any{"pattern": "(?i)email", "content": "Please call us instead."}},
		{"tools_called", `{"tools": ["search_web"]}`, map[string]any{
			"missing_tools": []string{"search_web"}, "called_tools": []string{"get_weather"},
		}},
		{"tools_not_called", `{"tools": ["get_weather"]}`, map[string]any{
			"forbidden_tools_called": []string{"get_weather"}, "all_called_tools": []string{"get_weather"},
		}},
		{"tool_calls_with_args", `{"tool_name": "get_weather", "expected_args": {"unit": "C"}, "args_match": {"city": "^V"}}`,
			map[string]any{"violations": []Details{
				{"type": "missing_argument", "tool": "get_weather", "argument": "unit", "expected": "C"},
				{"type": "pattern_mismatch", "tool": "get_weather", "argument": "city", "pattern": "^V", "actual": "SF"},
			}}},
		{"tool_calls_with_args", `{"tool_name": "get_weather", "required_args": {"city": "San Francisco"}}`, map[string]any{
			"tool": "get_weather", "expected": map[string]any{"city": "San Francisco"}, "actual": map[string]any{"city": "SF"},
		}},
		{"guardrail_triggered", `{"guardrail": "banned_words"}`, map[string]any{
			"expected_triggered": true, "actually_triggered": false, "guardrail": "banned_words",
		}},
	} {
		s := replied("Please call us instead.")
		s.Calls, s.AllCalls = weather, weather
		v := judgeJSON(t, s, tc.check, tc.params)
		if v.Passed || v.Score == nil {
			t.Errorf("%s: %s %s", tc.check, v.Status, v.Error)
		}
		got := map[string]any{}
		for key := range tc.want {
			got[key] = v.Details[key]
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.check, diff)
		}
	}
}
