package spans

import (
	"strings"
	"testing"
)

// TestParts: every span of a conversation counts once, whichever part has it.
func TestParts(t *testing.T) {
	t.Parallel()
	var p Parts
	part := func(lines ...string) *Trace {
		var list []Span
		for _, err := range Lines(strings.NewReader(strings.Join(lines, "\n")), func(s Span) { list = append(list, s) }) {
			t.Error(err)
		}
		return p.Next(list)
	}
	model := `{"name":"ask","span_id":"b1","parent_span_id":"a1","start_time":10,"end_time":12,` +
		`"attributes":{"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":7}}`
	one := part(model, `{"name":"f","span_id":"b2","parent_span_id":"a1","start_time":12,"end_time":13,`+
		`"attributes":{"gen_ai.operation.name":"execute_tool"}}`)
	if one.Notice != "" || one.Duration() == 0 || one.Usage().InputTokens != 7 || len(one.Calls()) != 1 {
		t.Errorf("%q, %v, %+v", one.Notice, one.Duration(), one.Usage())
	}
	if p.Missing() != 2 {
		t.Errorf("%d spans wait for their parent", p.Missing())
	}
	sum := `"start_time":9,"end_time":14,"attributes":{"gen_ai.operation.name":"invoke_agent",` +
		`"gen_ai.usage.input_tokens":7}}`
	two := part(model, `{"name":"agent","span_id":"a1","parent_span_id":"a0",`+sum)
	if len(two.Spans) != 1 || two.Usage() != nil {
		t.Errorf("%d spans, %+v: the sum counts beside its parts", len(two.Spans), two.Usage())
	}
	three := part(`{"name":"conversation","span_id":"a0",` + sum)
	if three.Usage() != nil || p.Missing() != 0 {
		t.Errorf("%+v, %d spans wait for their parent", three.Usage(), p.Missing())
	}
}
