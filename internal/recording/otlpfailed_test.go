package recording

import (
	"strings"
	"testing"
)

// TestFailedRuns: a call whose span failed has failed, whether its result is in the history of a later model call, in
// the span, or missing.
func TestFailedRuns(t *testing.T) {
	t.Parallel()
	const op = "gen_ai.operation.name"
	asks := func(ids ...string) string {
		return "user: a\nassistant: call " + strings.Join(ids, "\nassistant: call ")
	}
	run := func(id string, more ...string) string {
		return testSpan("run"+id, "", 2, append([]string{op, "execute_tool", "gen_ai.tool.name", "f", "gen_ai.tool.call.id", id},
			more...)...)
	}
	failed := []string{"error.type", "boom"}
	for name, c := range map[string]struct {
		spans []string
		want  string
	}{
		"the result is in the history": {[]string{
			testSpan("1", "", 1, op, "chat", inputAttr, "user: a", outputAttr, "assistant: call x"), run("x", failed...),
			testSpan("3", "", 3, op, "chat", inputAttr, asks("x")+"\ntool: result x", outputAttr, "assistant: c"),
		}, "x: boom"},
		"the one that failed of two": {[]string{
			testSpan("1", "", 1, op, "chat", inputAttr, "user: a", outputAttr, "assistant: call x"), run("x"),
			testSpan("2", "", 2, op, "chat", inputAttr, asks("x")+"\ntool: result x", outputAttr, "assistant: call y"),
			run("y", failed...),
			testSpan("3", "", 3, op, "chat", inputAttr, asks("x")+"\ntool: result x\nassistant: call y\ntool: result y",
				outputAttr, "assistant: c"),
		}, "x: , y: boom"},
		"the result is nowhere": {[]string{
			testSpan("1", "", 1, op, "chat", inputAttr, "user: a", outputAttr, "assistant: call x"), run("x", failed...),
			testSpan("3", "", 3, op, "chat", inputAttr, asks("x"), outputAttr, "assistant: c"),
		}, "x: boom"},
		"nothing failed": {[]string{
			testSpan("1", "", 1, op, "chat", inputAttr, "user: a", outputAttr, "assistant: call x"), run("x"),
			testSpan("3", "", 3, op, "chat", inputAttr, asks("x")+"\ntool: result x", outputAttr, "assistant: c"),
		}, "x: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := only(t, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[`+strings.Join(c.spans, ",")+`]}]}]}`))
			var got []string
			for _, m := range s.Messages {
				if m.ToolResult != nil {
					got = append(got, m.ToolResult.ID+": "+m.ToolResult.Error)
				}
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("got %q, want %q", text, c.want)
			}
		})
	}
}
