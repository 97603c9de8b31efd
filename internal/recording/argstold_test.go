package recording

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// TestArgsTold: missing arguments, and arguments that are not an object, are unknown, in each form of a call.
func TestArgsTold(t *testing.T) {
	t.Parallel()
	const say, end = `{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": null, `,
		`}, {"role": "tool", "tool_call_id": "c1", "content": "done"}, {"role": "assistant", "content": "b"}]}`
	forms := map[string]struct{ text, key string }{
		"chat": {say + `"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", ARGS}}]` + end, "arguments"},
		"old": {strings.NewReplacer(`"tool"`, `"function"`, `"tool_call_id": "c1"`, `"name": "f"`).Replace(
			say + `"function_call": {"name": "f", ARGS}` + end), "arguments"},
		"items": {`{"object": "response", "status": "completed", "model": "m", "input": [{"role": "user", "content": "a"},
			{"type": "function_call", "call_id": "c1", "name": "f", ARGS},
			{"type": "function_call_output", "call_id": "c1", "output": "done"}],
			"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "b"}]}]}`, "arguments"},
	}
	anthropic := say + `"content": [{"type": "tool_use", "id": "c1", "name": "f"ARGS}]` + end
	anthropic = strings.Replace(anthropic, `"content": null, `, "", 1)
	inspect := `{"version":2,"status":"success","eval":{"task":"t"},"samples":[{"id":1,"epoch":1,"messages":[` +
		`{"role":"user","content":"a"},{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":"f"ARGS}]},` +
		`{"role":"tool","tool_call_id":"c1","function":"f","content":"done"},{"role":"assistant","content":"b"}]}]}`
	for _, c := range []struct {
		text, args string
		unknown    bool
	}{
		{anthropic, `, "input": {}`, false}, {anthropic, `, "input": null`, true}, {anthropic, ``, true},
		{inspect, `, "arguments": {"id": 1}, "parse_error": null`, false}, {inspect, ``, true},
		{inspect, `, "arguments": {}, "parse_error": "bad json"`, true},
	} {
		s := only(t, []byte(strings.ReplaceAll(c.text, "ARGS", c.args)))
		at := slices.IndexFunc(s.Messages, func(m Message) bool { return len(m.ToolCalls) > 0 })
		if at < 0 {
			t.Errorf("%s: no call", c.args)
		} else if got := slices.Contains(s.Messages[at].Unreported, chat.UnreportedArguments); got != c.unknown {
			t.Errorf("%s: untold %v", c.args, got)
		}
	}
	for name, form := range forms {
		for args, unknown := range map[string]bool{
			`"{\"id\": 1}"`: false, `"{}"`: false, `""`: false, `"{\"id\": 1}X"`: true, `7`: true, `["a"]`: true, `null`: true,
		} {
			s := only(t, []byte(strings.ReplaceAll(form.text, "ARGS", `"`+form.key+`": `+args)))
			at := slices.IndexFunc(s.Messages, func(m Message) bool { return len(m.ToolCalls) > 0 })
			if at < 0 {
				t.Errorf("%s, %s: no call", name, args)
			} else if got := slices.Contains(s.Messages[at].Unreported, chat.UnreportedArguments); got != unknown {
				t.Errorf("%s, %s: untold %v", name, args, got)
			}
		}
	}
}
