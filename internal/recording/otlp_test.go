package recording

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testSpan writes a span. Attributes are pairs of key and value. Messages are written "role: text", one on each line.
func testSpan(id, parent string, start int, attributes ...string) string {
	var attrs []string
	for i := 0; i < len(attributes); i += 2 {
		v := attributes[i+1]
		if key := attributes[i]; key == inputAttr || key == outputAttr {
			v = partsOf(v)
		}
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		attrs = append(attrs, fmt.Sprintf(`{"key":%q,"value":{"stringValue":%s}}`, attributes[i], text))
	}
	return fmt.Sprintf(`{"traceId":"t","spanId":%q,"parentSpanId":%q,"startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[%s]}`,
		id, parent, 1772600767000000000+start*1000000000, 1772600767500000000+start*1000000000, strings.Join(attrs, ","))
}

// partsOf writes messages as the conventions do: "call x" is a call with the id x, "result x" its result.
func partsOf(text string) string {
	var list []string
	for line := range strings.Lines(text) {
		role, content, _ := strings.Cut(strings.TrimSpace(line), ": ")
		part := fmt.Sprintf(`{"type":"text","content":%q}`, content)
		if id, ok := strings.CutPrefix(content, "call "); ok {
			part = fmt.Sprintf(`{"type":"tool_call","id":%q,"name":"f","arguments":"{}"}`, id)
		}
		if id, ok := strings.CutPrefix(content, "result "); ok {
			part = fmt.Sprintf(`{"type":"tool_call_response","id":%q,"response":"done"}`, id)
		}
		list = append(list, fmt.Sprintf(`{"role":%q,"parts":[%s]}`, role, part))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// TestTracesOfSteps: model calls of composition steps are not turns of the conversation.
func TestTracesOfSteps(t *testing.T) {
	t.Parallel()
	_, err := open([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[`+
		testSpan("1", "", 1, "gen_ai.operation.name", "chat", "arena.step", "draft", inputAttr, "user: a", outputAttr, "assistant: b")+
		`]}]}]}`), Options{})
	contains(t, err, "the steps of a composition answered here, and a recording of the format traces does not tell")
}

// TestTraces lists how model calls become one conversation.
func TestTraces(t *testing.T) {
	t.Parallel()
	const op = "gen_ai.operation.name"
	for name, c := range map[string]struct {
		spans []string
		want  string
		note  string
	}{
		"the whole history each time": {[]string{
			testSpan("1", "", 1, op, "chat", inputAttr, "user: a", outputAttr, "assistant: b"),
			testSpan("2", "", 2, op, "chat", inputAttr, "user: a\nassistant: b\nuser: c", outputAttr, "assistant: d"),
		}, "user a, assistant b, user c, assistant d", ""},
		"only what is new": {[]string{
			testSpan("2", "", 2, op, "chat", inputAttr, "user: c", outputAttr, "assistant: d"),
			testSpan("1", "", 1, op, "chat", inputAttr, "user: a", outputAttr, "assistant: b"),
		}, "user a, assistant b, user c, assistant d", ""},
		"the history is cut": {[]string{
			testSpan("1", "", 1, op, "chat", inputAttr, "user: a", outputAttr, "assistant: b"),
			testSpan("2", "", 2, op, "chat", inputAttr, "user: a\nassistant: b\nuser: c", outputAttr, "assistant: d"),
			testSpan("3", "", 3, op, "chat", inputAttr, "user: c\nassistant: d\nuser: e", outputAttr, "assistant: f"),
		}, "user a, assistant b, user c, assistant d, user e, assistant f", ""},
		"asked once more": {[]string{
			testSpan("1", "", 1, op, "chat", inputAttr, "user: a", outputAttr, "assistant: b"),
			testSpan("2", "", 2, op, "chat", inputAttr, "user: a", outputAttr, "assistant: c"),
		}, "user a, assistant c", "another history"},
		"asked once more after an error": {[]string{
			testSpan("1", "", 1, op, "chat", inputAttr, "user: a"),
			testSpan("2", "", 2, op, "chat", inputAttr, "user: a", outputAttr, "assistant: c"),
		}, "user a, assistant c", ""},
		"a system prompt in every call": {[]string{
			testSpan("1", "", 1, op, "chat", inputAttr, "system: s\nuser: a", outputAttr, "assistant: b"),
			testSpan("2", "", 2, op, "chat", inputAttr, "system: s\nuser: a\nassistant: b\nuser: c", outputAttr, "assistant: d"),
		}, "system s, user a, assistant b, user c, assistant d", ""},
		"results in spans of tools": {[]string{
			testSpan("1", "", 1, op, "chat", inputAttr, "user: a", outputAttr, "assistant: call x"),
			testSpan("2", "", 2, op, "execute_tool", "gen_ai.tool.call.id", "x", "gen_ai.tool.name", "f", "gen_ai.tool.call.result", "fine"),
			testSpan("3", "", 3, op, "chat", inputAttr, "user: b", outputAttr, "assistant: c"),
		}, "user a, assistant [x], tool fine, user b, assistant c", ""},
		"results in both": {[]string{
			testSpan("1", "", 1, op, "chat", inputAttr, "user: a", outputAttr, "assistant: call x"),
			testSpan("2", "", 2, op, "execute_tool", "gen_ai.tool.call.id", "x", "gen_ai.tool.name", "f", "gen_ai.tool.call.result", "fine"),
			testSpan("3", "", 3, op, "chat", inputAttr, "user: a\nassistant: call x\ntool: result x", outputAttr, "assistant: c"),
		}, "user a, assistant [x], tool done, assistant c", ""},
		"an agent within an agent": {[]string{
			testSpan("1", "", 1, op, "invoke_agent"),
			testSpan("2", "1", 2, op, "chat", inputAttr, "user: a", outputAttr, "assistant: b"),
			testSpan("3", "1", 3, op, "invoke_agent"),
			testSpan("4", "3", 4, op, "chat", inputAttr, "user: inner", outputAttr, "assistant: inner"),
		}, "user a, assistant b", "1 call within tools or other agents left out"},
		"only the agent tells": {[]string{
			testSpan("1", "", 1, op, "invoke_agent", inputAttr, "user: a", outputAttr, "assistant: b"),
			testSpan("2", "1", 2, op, "chat"),
		}, "user a, assistant b", ""},
		"spans in a circle": {[]string{
			testSpan("1", "2", 1, op, "chat", inputAttr, "user: a", outputAttr, "assistant: b"),
			testSpan("2", "1", 2, op, "invoke_agent"),
		}, "user a, assistant b", ""},
		"one text": {[]string{
			testSpan("1", "", 1, "gen_ai.prompt", "say b", "gen_ai.completion", "b"),
		}, "user say b, assistant b", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := only(t, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[`+strings.Join(c.spans, ",")+`]}]}]}`))
			if diff := cmp.Diff(c.want, spoken(s)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if notes := strings.Join(s.Notes, "\n"); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

// spoken returns a conversation in one line.
func spoken(s *Session) string {
	var out []string
	for _, m := range s.Messages {
		text := string(m.Role) + " " + m.Content
		for _, c := range m.ToolCalls {
			text += "[" + c.ID + "]"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}
