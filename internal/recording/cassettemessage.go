package recording

import (
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// cassetteMessage reads a message of a request.
func (b *builder) cassetteMessage(v value) (e event, ok bool) {
	before := b.problems.Errors()
	o, ok := b.strictObject(v, "a message", "role", "content", "parts", "tool_calls", "tool_result")
	if !ok {
		return e, false
	}
	e.Pos, e.Offset = b.pos(v), -1
	e.Role = b.role(o)
	b.requireContent(o)
	e.Content, e.Parts = b.textOrLines(o.get("content"), "content"), b.cassetteParts(o.get("parts"))
	e.ToolCalls = b.cassetteCalls(o.get("toolcalls"))
	if len(e.ToolCalls) > 0 && e.Role != chat.Assistant {
		b.errorf(o.get("toolcalls"), "tool-calls", "a message of the %s cannot call tools", e.Role)
	}
	result := o.get("toolresult")
	switch {
	case e.Role == chat.ToolRole && result.missing():
		b.errorf(v, "missing-field", "a message of a tool has no tool_result")
	case e.Role == chat.ToolRole:
		r := b.cassetteResult(result)
		e.ToolResult = &r
		if e.Content == "" {
			e.Content = r.Text()
		}
	case !result.missing():
		b.errorf(result, "unknown-field", "a message of the %s cannot have a tool_result", e.Role)
	}
	return e, b.problems.Errors() == before
}

// cassetteCalls reads the calls of a message.
func (b *builder) cassetteCalls(v value) (calls []chat.ToolCall) {
	for item := range b.list(v, "tool_calls") {
		if o, ok := b.strictObject(item, "a tool call", "id", "name", "args", "bad_args", "opaque"); ok {
			calls = append(calls, b.cassetteCall(o))
		}
	}
	return calls
}

// cassetteCall reads a tool call. Its arguments are an object unless the model sent none.
func (b *builder) cassetteCall(o object) chat.ToolCall {
	args := o.get("args")
	call := chat.ToolCall{
		ID: b.textOrLines(o.get("id"), "id"), Name: b.textOrLines(o.get("name"), "name"),
		BadArgs: b.textOrLines(o.get("badargs"), "bad_args"), Opaque: b.opaque(o.get("opaque")),
	}
	switch {
	case call.Name == "":
		b.errorf(o.value, "missing-field", "a tool call has no name")
	case call.BadArgs != "":
	case args.missing():
		call.Args = jsonvalue.Object{}
	default:
		var ok bool
		if call.Args, ok = decodeObject(args); !ok {
			b.errorf(args, "wrong-type", "args must be an object, found %s", describe(args))
		}
	}
	return call
}

// opaque reads the provider's state of a message or a call.
func (b *builder) opaque(v value) *chat.Opaque {
	if v.missing() {
		return nil
	}
	o, ok := b.strictObject(v, "opaque", "from", "data")
	if !ok {
		return nil
	}
	return &chat.Opaque{From: b.textOrLines(o.get("from"), "from"), Data: slices.Clone(o.get("data").text)}
}

// cassetteResult reads a tool result.
func (b *builder) cassetteResult(v value) (r chat.ToolResult) {
	o, ok := b.strictObject(v, "a tool result", "id", "name", "content", "parts", "error", "error_type", "latency_ms",
		"metadata", "notice", "doubt")
	if !ok {
		return r
	}
	metadata, _ := decodeObject(o.get("metadata"))
	return chat.ToolResult{
		Metadata: metadata,
		ID:       b.textOrLines(o.get("id"), "id"), Name: b.textOrLines(o.get("name"), "name"),
		Content: b.textOrLines(o.get("content"), "content"), Parts: b.cassetteParts(o.get("parts")),
		Error: b.textOrLines(o.get("error"), "error"), ErrorType: b.textOrLines(o.get("errortype"), "error_type"),
		LatencyMS: b.latency(o.get("latencyms")), Notice: b.textOrLines(o.get("notice"), "notice"),
		Doubt: b.textOrLines(o.get("doubt"), "doubt"),
	}
}

// cassetteParts reads the parts of a message.
func (b *builder) cassetteParts(v value) (parts []chat.Part) {
	for item := range b.list(v, "parts") {
		if o, ok := b.strictObject(item, "a part", "type", "text", "media"); ok {
			parts = append(parts, b.cassettePart(o))
		}
	}
	return parts
}

func (b *builder) cassettePart(o object) chat.Part {
	p := chat.Part{Type: b.textOrLines(o.get("type"), "type"), Text: b.textOrLines(o.get("text"), "text")}
	switch p.Type {
	case "text", "image", "audio", "video", "document":
	default:
		b.errorf(o.get("type").or(o.value), "unknown-part", "unknown type of part %q", cutText(p.Type, 40)).
			Hint = "known types: text, image, audio, video, document"
	}
	if v := o.get("media"); !v.missing() {
		p.Media = b.cassetteMedia(v)
	}
	return p
}
