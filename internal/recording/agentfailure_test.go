package recording

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// TestAgentFailure: an agent that failed after its model had replied gave the user no answer.
func TestAgentFailure(t *testing.T) {
	t.Parallel()
	for name, failed := range map[string]string{
		"a span of Langfuse":        `"level":"ERROR","statusMessage":"boom"`,
		"LangSmith":                 `"error":"boom"`,
		"an agent of OpenInference": `"status":{"status_code":"ERROR","description":"boom"}`,
		"stored spans":              `"status":"ERROR"`,
	} {
		text := shownBy[name]
		at := strings.Index(text, "2026-01-01T00:00:00\"")
		if name == "a span of Langfuse" {
			at = strings.LastIndex(text, `"2026-01-01T00:00:00Z","output":GIVEN`) + len(`"2026-01-01T00:00:00Z"`)
		} else {
			at += len("2026-01-01T00:00:00\"")
		}
		text = text[:at] + "," + failed + text[at:]
		s := only(t, []byte(strings.ReplaceAll(text, "GIVEN", "null")))
		if !strings.HasPrefix(s.Error, "the run of the agent failed: ") {
			t.Errorf("%s: error %q", name, s.Error)
		}
	}
	pending := strings.Replace(strings.ReplaceAll(shownBy["LangSmith"], "GIVEN", "null"), `"chain"`, `"chain","status":"pending"`, 1)
	if s := only(t, []byte(pending)); s.Error == "" {
		t.Error("a run that is pending went well")
	}
}

// TestLoggedTools: the arguments of a tool are read as each framework logs them.
func TestLoggedTools(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]bool{
		`{"id":"A-1"}`:                      true,
		`{"input":{"id":"A-1"}}`:            true,
		`{"input":"{\"id\":\"A-1\"}"}`:      true,
		`{"kwargs":{"id":"A-1"}}`:           true,
		`{"args":[],"kwargs":{"id":"A-1"}}`: true,
		`{"tool_input":{"id":"A-1"}}`:       true,
		`{"args":["A-1"],"kwargs":{"n":1}}`: false,
		`{"input":"{'id': 'A-1'}"}`:         false,
		`null`:                              false,
	} {
		s := only(t, []byte(`[{"id":"p","trace_id":"p","run_type":"tool","name":"f","start_time":"2026-01-01T00:00:00","inputs":`+
			input+`,"outputs":{"output":"done"}},{"id":"c","trace_id":"p","run_type":"llm","start_time":"2026-01-01T00:00:01",`+
			`"inputs":{"input":"hi"},"outputs":{"choices":[{"message":{"role":"assistant","content":"ok"}}]}}]`))
		at := slices.IndexFunc(s.Messages, func(m Message) bool { return len(m.ToolCalls) > 0 })
		if at < 0 {
			t.Errorf("%s: no call", input)
			continue
		}
		m := &s.Messages[at]
		unknown := slices.Contains(m.Unreported, chat.UnreportedArguments) || m.ToolCalls[0].BadArgs != ""
		if unknown == want || want && m.ToolCalls[0].Args["id"] != "A-1" {
			t.Errorf("%s: arguments %v %q, untold %v", input, m.ToolCalls[0].Args, m.ToolCalls[0].BadArgs, m.Unreported)
		}
	}
}

// TestToolWithoutName: a tool call without a name is still a call.
func TestToolWithoutName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{`null`, `""`} {
		s := only(t, []byte(`{"id":"t","timestamp":"2026-01-01T00:00:00Z","observations":[`+
			`{"id":"p","traceId":"t","type":"TOOL","name":`+name+`,"startTime":"2026-01-01T00:00:00Z","output":"done"},`+
			`{"id":"o","traceId":"t","type":"GENERATION","startTime":"2026-01-01T00:00:01Z","input":"hi","output":"ok"}]}`))
		calls := 0
		for _, m := range s.Messages {
			calls += len(m.ToolCalls)
		}
		if calls != 1 || len(s.Doubts) != 1 {
			t.Errorf("%s: %d calls, doubts %q", name, calls, s.Doubts)
		}
	}
}
