package checks

import (
	"encoding/json"
	"fmt"
	"testing"
)

// resultChecks look for one pattern in results of the tool get.
func resultChecks(pattern string) []struct{ name, params string } {
	text, _ := json.Marshal(pattern)
	return []struct{ name, params string }{
		{"tool_result_includes", fmt.Sprintf(`{"tool_name": "get", "patterns": [%s]}`, text)},
		{"tool_result_matches", fmt.Sprintf(`{"tool_name": "get", "pattern": %s}`, text)},
		{"tool_call_chain", fmt.Sprintf(`{"steps": [{"tool": "get", "result_includes": [%s]}]}`, text)},
		{"tool_call_chain", fmt.Sprintf(`{"steps": [{"tool": "get", "result_matches": %s}]}`, text)},
		{"tool_calls_with_args", fmt.Sprintf(`{"tool_name": "get", "result_includes": [%s]}`, text)},
		{"tool_calls_with_args", fmt.Sprintf(`{"tool_name": "get", "result_matches": %s}`, text)},
		{"agent_response_contains", fmt.Sprintf(`{"agent_name": "get", "patterns": [%s]}`, text)},
		{"tool_exec", fmt.Sprintf(`{"tool": "get", "success_pattern": %s}`, text)},
	}
}

func resultSubject(result string) *Subject {
	return &Subject{
		Session: true, Turn: -1, Calls: []Call{{Name: "get", Agent: "get", Result: result}},
		Tools: fakeTools{"get": {result: result}},
	}
}

// TestResultsInTwoForms: a pattern is in a result as the model got it, or as compact JSON.
func TestResultsInTwoForms(t *testing.T) {
	t.Parallel()
	const indented = "{\n  \"status\": \"denied\",\n  \"city\": \"Z\\u00fcrich\",\n  \"all\": [\n    1\n  ]\n}"
	for _, c := range []struct {
		result, pattern string
		found           float64
	}{
		{indented, `"status": "denied"`, 1},
		{indented, `"status":"denied"`, 1},
		{indented, `"denied","city":"Z`, 1},
		{indented, `Zürich`, 1},
		{indented, `"status":"paid"`, 0},
		{`"status": "denied"`, `"status":"denied"`, 0},
		{`{"status": "denied"`, `"status":"denied"`, 0},
	} {
		for _, check := range resultChecks(c.pattern) {
			f, err := compiledJSON(t, check.name, check.params).Eval(t.Context(), resultSubject(c.result))
			if err != nil || f.Score != c.found {
				t.Errorf("%s %s: %v %v, want %v", check.name, check.params, f.Score, err, c.found)
			}
		}
	}
}
