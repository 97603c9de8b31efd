package checks

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// resultChecks look for a pattern in results of the tool get.
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

func resultSubject(text string) *Subject {
	return &Subject{
		Session: true, Turn: -1, Calls: []Call{{Name: "get", Agent: "get", Result: text}},
		Tools: fakeTools{"get": {result: text}},
	}
}

// TestResultsInTwoForms: a pattern matches a result as the model got it, or as compact JSON.
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
		{`{"status":"denied","a":"x:,y"}`, `"status": "denied", "a": "x:,y"`, 1},
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

// TestResultsThatWereCut: content after the cut of a result is unknown, whether it is required or forbidden.
func TestResultsThatWereCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, more string
		want          result.Status
	}{
		{"password", "", result.Errored},
		{"password", `, "max_score": 0`, result.Errored},
		{"fine", "", result.Passed},
		{"fine", `, "max_score": 0`, result.Failed},
	} {
		for _, check := range resultChecks(c.pattern) {
			params := strings.TrimSuffix(check.params, "}") + c.more + "}"
			for _, stored := range []bool{false, true} {
				s := resultSubject("all is fine" + chat.CutMark)
				s.Stored = stored
				v := compiledJSON(t, check.name, params).Judge(t.Context(), s)
				if v.Status != c.want || c.want == result.Errored && v.Error != errCut.Error() {
					t.Errorf("%s %s: %s %q, want %s", check.name, params, v.Status, v.Error, c.want)
				}
			}
		}
	}
	for _, params := range []string{
		`{"tool": "get", "failure_pattern": "FAILED"}`, `{"tool": "get", "failure_pattern": "cut at"}`,
		`{"tool": "get", "success_pattern": "fine$"}`, `{"tool": "get", "success_pattern": "cut at"}`,
	} {
		v := compiledJSON(t, "tool_exec", params).Judge(t.Context(), resultSubject("all is fine"+chat.CutMark))
		if v.Status != result.Errored {
			t.Errorf("%s: %s", params, v.Status)
		}
	}
	inner := `{"check": {"type": "tool_result_includes", "params": {"patterns": ["password"]}}}`
	v := compiledJSON(t, "not", inner).Judge(t.Context(), resultSubject("all is fine"+chat.CutMark))
	if v.Status != result.Errored || !strings.Contains(v.Error, "only the first 1 MiB") {
		t.Errorf("not: %s %q", v.Status, v.Error)
	}
}

func TestSpaced(t *testing.T) {
	t.Parallel()
	got := spaced(`{"a":"\",:\\","b":[1,{"c":null}]}`)
	if want := `{"a": "\",:\\", "b": [1, {"c": null}]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
