package recording

import (
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// toolCalls reads the calls of a message. Arguments are an object or JSON text.
func (b *builder) toolCalls(m *Message, o object) {
	v := o.get("toolcalls")
	if single := o.get("functioncall"); v.missing() && single.kind() == '{' { // the form of chat APIs until 2023
		m.ToolCalls = []chat.ToolCall{b.toolCall(single)}
		m.noteUnknownArgs(&m.ToolCalls[0], single, single.get("arguments"))
	}
	if !v.missing() && v.kind() != '[' {
		b.errorf(v, "wrong-type", "tool_calls must be a list, found %s", describe(v))
		return
	}
	for item := range v.items {
		call := b.toolCall(item)
		m.ToolCalls = append(m.ToolCalls, call)
		if f := item.get("function"); f.kind() == '{' { // the form of chat APIs, which always have arguments
			m.noteUnknownArgs(&call, item, f.get("arguments").or(f.get("args")).or(f.get("input")))
		} else if kind, _ := item.get("type").str(); kind == "tool_use" { // the same
			m.noteUnknownArgs(&call, item, item.get("input").or(item.get("args")).or(item.get("arguments")))
		}
	}
	if len(m.ToolCalls) > 0 && m.Role != chat.Assistant && m.Role != "" {
		b.errorf(v, "tool-calls", "a message of the %s cannot call tools", m.Role)
	}
}

// noteUnknownArgs notes that the arguments of a call are not known: they are missing or not an object, and the record
// does not say that the model wrote them so.
func (m *Message) noteUnknownArgs(call *chat.ToolCall, around, args value) {
	if call.BadArgs == "" && !args.missing() || !around.get("badargs").missing() ||
		slices.Contains(m.Unreported, chat.UnreportedArguments) {
		return
	}
	m.Unreported = append(m.Unreported, chat.UnreportedArguments)
}

func (b *builder) toolCall(v value) (call chat.ToolCall) {
	o, ok := b.object(v, "a tool call")
	if !ok {
		return call
	}
	b.checkFields(o, "a tool call", callFields())
	call.ID = b.text(o.get("id", "callid", "toolcallid"), "the id of a tool call")
	inner := o
	if f := o.get("function"); f.kind() == '{' {
		if inner, ok = b.object(f, "a tool call"); !ok {
			return call
		}
		b.checkFields(inner, "a tool call", callFields())
	}
	call.Opaque = b.opaque(o.get("opaque"))
	call.Name = b.text(inner.get("name", "toolname"), "the name of a tool")
	if call.Name == "" {
		b.errorf(v, "missing-field", "a tool call has no name")
	}
	call.Args, call.BadArgs = b.args(inner.get("args", "arguments", "input"))
	if bad := b.text(o.get("badargs"), "bad_args"); bad != "" {
		call.Args, call.BadArgs = nil, bad
	}
	return call
}

// args reads the arguments of a call. Arguments that are not an object are kept as text.
func (b *builder) args(v value) (args chat.Args, bad string) {
	switch v.kind() {
	case 0, 'n':
		return jsonvalue.Object{}, ""
	case '"':
		s, _ := v.str()
		return chat.ParseArgs(s)
	}
	return chat.ParseArgs(string(v.text))
}

// toolResult reads a tool result: from tool_result, or from the content of a message that has the call's id.
func (b *builder) toolResult(m *Message, o object) {
	r := &chat.ToolResult{}
	m.ToolResult = r
	inner, nested := o, false
	if v := o.get("toolresult"); !v.missing() {
		var ok bool
		if inner, ok = b.object(v, "tool_result"); !ok {
			return
		}
		b.checkFields(inner, "a tool result", resultFields())
		nested = true
	}
	if nested {
		r.ID = b.text(inner.get("id", "toolcallid", "callid"), "the id of a tool result")
	}
	if r.ID == "" {
		r.ID = b.text(o.get("toolcallid", "callid"), "tool_call_id")
	}
	r.Name = b.text(inner.get("name", "toolname"), "the name of a tool")
	b.noErrorFlag = b.noErrorFlag || !nested && inner.get("error", "iserror").missing()
	r.ErrorType = b.text(inner.get("errortype"), "error_type")
	if f := b.amount(inner.get("latencyms"), "latency_ms"); f != nil {
		r.LatencyMS = *f
	}
	r.Agent = b.text(inner.get("agent"), "agent")
	r.Metadata, _ = decodeObject(inner.get("metadata").or(o.get("metadata")))
	r.Content, r.Parts = m.Content, m.Parts
	if nested {
		var message Message
		message.Role = chat.ToolRole
		b.content(&message, inner)
		if message.Content != "" || len(message.Parts) > 0 {
			r.Content, r.Parts = message.Content, message.Parts
		}
	}
	if r.Error = b.resultFailure(inner, r.Text()); nested && r.Error == "" {
		r.Error = b.resultFailure(o, r.Text())
	}
	m.Parts = nil
	if m.Content == "" {
		m.Content = r.Text()
	}
}
