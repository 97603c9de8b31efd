package recording

import (
	"slices"

	"github.com/arena-evals/arena/internal/chat"
)

// tapeMessage reads a message of a request.
func (b *builder) tapeMessage(v value) (e event, ok bool) {
	before := b.problems.Errors()
	o, ok := b.known(v, "a message", "role", "content", "parts", "tool_calls", "tool_result")
	if !ok {
		return e, false
	}
	e.Pos, e.Offset = b.pos(v), -1
	e.Role = b.role(o)
	b.spoken(o)
	e.Content, e.Parts = b.lines(o.get("content"), "content"), b.tapeParts(o.get("parts"))
	e.ToolCalls = b.tapeCalls(o.get("toolcalls"))
	if len(e.ToolCalls) > 0 && e.Role != chat.Assistant {
		b.errorf(o.get("toolcalls"), "tool-calls", "a message of the %s cannot call tools", e.Role)
	}
	result := o.get("toolresult")
	switch {
	case e.Role == chat.ToolRole && result.missing():
		b.errorf(v, "missing-field", "a message of a tool has no tool_result")
	case e.Role == chat.ToolRole:
		r := b.tapeResult(result)
		e.ToolResult = &r
		if e.Content == "" {
			e.Content = r.Text()
		}
	case !result.missing():
		b.errorf(result, "unknown-field", "a message of the %s cannot have a tool_result", e.Role)
	}
	return e, b.problems.Errors() == before
}

// tapeCalls reads the calls of a message.
func (b *builder) tapeCalls(v value) (calls []chat.ToolCall) {
	for item := range b.list(v, "tool_calls") {
		if o, ok := b.known(item, "a tool call", "id", "name", "args", "bad_args", "opaque"); ok {
			calls = append(calls, b.tapeCall(o))
		}
	}
	return calls
}

// tapeCall reads a call of a tool, whose arguments are an object unless the model sent none.
func (b *builder) tapeCall(o object) chat.ToolCall {
	args := o.get("args")
	call := chat.ToolCall{
		ID: b.lines(o.get("id"), "id"), Name: b.lines(o.get("name"), "name"), BadArgs: b.lines(o.get("badargs"), "bad_args"),
		Opaque: b.opaque(o.get("opaque")),
	}
	switch {
	case call.Name == "":
		b.errorf(o.value, "missing-field", "a tool call has no name")
	case call.BadArgs != "":
	case args.missing():
		call.Args = map[string]any{}
	default:
		var ok bool
		if call.Args, ok = decodeObject(args); !ok {
			b.errorf(args, "wrong-type", "args must be an object, found %s", describe(args))
		}
	}
	return call
}

// opaque reads the state that a provider wants back with a message or a call.
func (b *builder) opaque(v value) *chat.Opaque {
	if v.missing() {
		return nil
	}
	o, ok := b.known(v, "opaque", "from", "data")
	if !ok {
		return nil
	}
	return &chat.Opaque{From: b.lines(o.get("from"), "from"), Data: slices.Clone(o.get("data").text)}
}

// tapeResult reads what a tool answered.
func (b *builder) tapeResult(v value) (r chat.ToolResult) {
	o, ok := b.known(v, "a tool result", "id", "name", "content", "parts", "error", "error_type", "latency_ms",
		"metadata")
	if !ok {
		return r
	}
	metadata, _ := decodeObject(o.get("metadata"))
	return chat.ToolResult{
		Metadata: metadata,
		ID:       b.lines(o.get("id"), "id"), Name: b.lines(o.get("name"), "name"),
		Content: b.lines(o.get("content"), "content"), Parts: b.tapeParts(o.get("parts")),
		Error: b.lines(o.get("error"), "error"), ErrorType: b.lines(o.get("errortype"), "error_type"),
		LatencyMS: b.took(o.get("latencyms")),
	}
}

// tapeParts reads the parts of a message.
func (b *builder) tapeParts(v value) (parts []chat.Part) {
	for item := range b.list(v, "parts") {
		if o, ok := b.known(item, "a part", "type", "text", "media"); ok {
			parts = append(parts, b.tapePart(o))
		}
	}
	return parts
}

func (b *builder) tapePart(o object) chat.Part {
	p := chat.Part{Type: b.lines(o.get("type"), "type"), Text: b.lines(o.get("text"), "text")}
	switch p.Type {
	case "text", "image", "audio", "video", "document":
	default:
		b.errorf(o.get("type").or(o.value), "unknown-part", "unknown type of part %q", cutText(p.Type, 40)).
			Hint = "known types: text, image, audio, video, document"
	}
	if v := o.get("media"); !v.missing() {
		p.Media = b.tapeMedia(v)
	}
	return p
}
