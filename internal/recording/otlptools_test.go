package recording

import (
	"fmt"
	"strings"
	"testing"
)

// TestRunsOfTools: the span of a tool is a call in every convention, once, also when no reply contains the call.
func TestRunsOfTools(t *testing.T) {
	t.Parallel()
	span := func(id, parent, name, attributes string) string {
		return fmt.Sprintf(`{"traceId":"t","spanId":%q,"parentSpanId":%q,"name":%q,"startTimeUnixNano":"1700000000000000002",`+
			`"endTimeUnixNano":"1700000000000000003","status":{"code":2,"message":"boom7"},"attributes":[%s]}`,
			id, parent, name, attributes)
	}
	text := func(key, v string) string { return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, v) }
	chat := `{"traceId":"t","spanId":"c","name":"chat","startTimeUnixNano":"1700000000000000004",` +
		`"endTimeUnixNano":"1700000000000000005","attributes":[` + text("gen_ai.operation.name", "chat") + "," +
		text("gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"hi"}]}]`) + "," +
		text("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"ok"}]}]`) + `]}`
	byConvention := text("gen_ai.operation.name", "execute_tool") + "," + text("gen_ai.tool.name", "refund")
	for _, c := range []struct {
		name  string
		spans []string
		want  string
	}{
		{"the convention", []string{span("1", "", "x", byConvention)}, "refund"},
		{"its name alone", []string{span("1", "", "execute_tool refund", "")}, "refund"},
		{"without an operation", []string{span("1", "", "x", text("gen_ai.tool.name", "refund"))}, "refund"},
		{"without a kind", []string{span("1", "", "x", text("tool.name", "refund"))}, "refund"},
		{"the kind of a chain", []string{span("1", "", "x", text("tool.name", "refund")+","+
			text("openinference.span.kind", "CHAIN"))}, "refund"},
		{"traceloop", []string{span("1", "", "refund", text("traceloop.span.kind", "tool"))}, "refund"},
		{"MLflow", []string{span("1", "", "refund", text("mlflow.spanType", `"TOOL"`))}, "refund"},
		{"Langfuse", []string{span("1", "", "refund", text("langfuse.observation.type", "tool"))}, "refund"},
		{"both, one in the other", []string{span("1", "", "x", byConvention),
			span("2", "1", "refund", text("traceloop.span.kind", "tool"))}, "refund"},
		{"both, the other way round", []string{span("2", "1", "x", byConvention),
			span("1", "", "refund", text("traceloop.span.kind", "tool"))}, "refund"},
		{"another one within", []string{span("2", "1", "x", byConvention),
			span("1", "", "flow", text("tool.name", "flow"))}, "refund flow"},
		{"no tool", []string{span("1", "", "x", text("openinference.span.kind", "CHAIN"))}, ""},
	} {
		s := only(t, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[`+strings.Join(append(c.spans, chat), ",")+`]}]}]}`))
		var got []string
		for _, m := range s.Messages {
			for _, call := range m.ToolCalls {
				got = append(got, call.Name)
			}
			if m.ToolResult != nil && m.ToolResult.Error == "" {
				t.Errorf("%s: the failure of %s is lost", c.name, m.ToolResult.Name)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: calls %q, want %q", c.name, got, c.want)
		}
	}
}
