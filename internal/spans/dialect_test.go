package spans

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestDialects: a span that names a tool, or that any convention calls the run of one, is a call.
func TestDialects(t *testing.T) {
	t.Parallel()
	type attrs map[string]string
	var spans []attrs
	for _, name := range ToolName.Names() {
		spans = append(spans, attrs{name: "refund"})
		for _, f := range []Field{Operation, InferenceKind, DialectKind} {
			for _, kind := range f.Names() {
				spans = append(spans, attrs{name: "refund", kind: "CHAIN"}, attrs{name: "refund", kind: "guardrail"})
			}
		}
	}
	for _, f := range []Field{Operation, InferenceKind, DialectKind} {
		for _, kind := range f.Names() {
			for _, word := range []string{"tool", "TOOL", "tools", `"TOOL"`, "toolCall", "executeTool", "execute_tool"} {
				spans = append(spans, attrs{kind: word})
			}
		}
	}
	spans = append(spans, attrs{"traceloop.span.kind": "tool", "traceloop.entity.name": "refund"})
	for _, a := range spans {
		name := "refund"
		if len(a) == 2 {
			name = "step"
		}
		line, err := json.Marshal(map[string]any{"name": name, "span_id": "1", "attributes": a})
		if err != nil {
			t.Fatal(err)
		}
		if got := callsOf(t, string(line)); !slices.Equal(got, []string{"refund"}) {
			t.Errorf("%s: calls %q", line, got)
		}
	}
	if got := callsOf(t, `{"name":"execute_tool refund","span_id":"1"}`); !slices.Equal(got, []string{"refund"}) {
		t.Errorf("by the name of the span: calls %q", got)
	}
}

// TestNoDialect: spans of models, agents, steps and judges keep their kind.
func TestNoDialect(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`{"name":"x","attributes":{"gen_ai.operation.name":"chat","gen_ai.tool.name":"f"}}`,
		`{"name":"x","attributes":{"gen_ai.operation.name":"invoke_agent","gen_ai.tool.name":"f"}}`,
		`{"name":"x","attributes":{"gen_ai.tool.name":"f","arena.judge":"j"}}`,
		`{"name":"x","attributes":{"llm.model_name":"m","llm.token_count.prompt":1,"tool.name":"f"}}`,
		`{"name":"x","attributes":{"traceloop.span.kind":"task","traceloop.entity.name":"f"}}`,
		`{"name":"tool","attributes":{"http.method":"GET"}}`,
	} {
		if got := callsOf(t, line); len(got) > 0 {
			t.Errorf("%s: calls %q", line, got)
		}
	}
}

// TestRunReportedTwice: a span of a convention and one that is no more than named are one call where one is in the other.
func TestRunReportedTwice(t *testing.T) {
	t.Parallel()
	const (
		run    = `{"name":"f","span_id":"1","attributes":{"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"f"}}`
		within = `{"name":"tools/call f","span_id":"2","parent_id":"1","attributes":{"gen_ai.tool.name":"f"}}`
		deeper = `{"name":"tools/call f","span_id":"3","parent_id":"2","error":"down","attributes":{"gen_ai.tool.name":"f"}}`
		beside = `{"name":"tools/call f","span_id":"4","attributes":{"gen_ai.tool.name":"f"}}`
		other  = `{"name":"tools/call g","span_id":"5","parent_id":"1","attributes":{"gen_ai.tool.name":"g"}}`
	)
	for _, c := range []struct {
		lines []string
		want  []string
	}{
		{[]string{run, within}, []string{"f"}},
		{[]string{run, within, deeper}, []string{"f: down"}},
		{[]string{within, deeper}, []string{"f: down"}},
		{[]string{run, beside}, []string{"f", "f"}},
		{[]string{run, other}, []string{"f", "g"}},
		{[]string{beside, strings.Replace(run, `"1"`, `"1","parent_id":"4"`, 1)}, []string{"f"}},
	} {
		if got := callsOf(t, strings.Join(c.lines, "\n")); !slices.Equal(got, c.want) {
			t.Errorf("%s:\ncalls %q, want %q", strings.Join(c.lines, "\n"), got, c.want)
		}
	}
}

// callsOf returns the calls in lines of spans, with their errors.
func callsOf(t *testing.T, lines string) (names []string) {
	t.Helper()
	var all []Span
	for _, err := range Lines(strings.NewReader(lines), func(s Span) { all = append(all, s) }) {
		t.Errorf("%s: %v", lines, err)
	}
	for _, c := range NewTrace(all).Calls() {
		name := c.Name
		if c.Failure != "" {
			name += ": " + c.Failure
		}
		names = append(names, name)
	}
	return names
}

// TestDottedMessages: rows of a table of spans have dotted names within messages too.
func TestDottedMessages(t *testing.T) {
	t.Parallel()
	for _, messages := range []string{
		`[{"message.role":"assistant","message.tool_calls":[{"tool_call.id":"1","tool_call.function.name":"f"}]}]`,
		`[{"message.tool_calls":[{"tool_call.function.name":"f","tool_call.function.arguments":"{}"}]}]`,
		`[{"message":{"tool_calls":[{"tool_call":{"function.name":"f"}}]}}]`,
		`[{"message":{"tool_calls":[{"tool_call":{"function":{"name":"f"}}}]}}]`,
	} {
		line := `{"name":"x","attributes":{"openinference.span.kind":"LLM","llm.output_messages":` + messages + `}}`
		if got := callsOf(t, line); !slices.Equal(got, []string{"f"}) {
			t.Errorf("%s: calls %q", line, got)
		}
	}
}
