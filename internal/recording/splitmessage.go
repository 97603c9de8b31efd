package recording

import (
	"encoding/json"
	"strconv"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// splitMessage reads a message whose parts may include tool calls and results, as in some chat APIs and in traces. Each
// result becomes a message of its own. A message without a role gets the given one.
func (b *builder) splitMessage(o object, pos diag.Pos, role chat.Role) (out []event) {
	if role != "" && o.get("role").missing() {
		o.members["role"] = value{[]byte(strconv.Quote(string(role))), o.at}
	}
	before := b.problems.Errors()
	results := append(b.extractCalls(o, "parts"), b.extractCalls(o, "content")...)
	for _, r := range results {
		out = append(out, event{Message: Message{
			Message: chat.Message{Role: chat.ToolRole, Content: r.Text(), ToolResult: &r}, Offset: -1, Pos: pos,
		}})
	}
	if b.problems.Errors() > before {
		b.badMessage = true
		return nil
	}
	if len(results) > 0 && o.get("content").missing() && o.get("parts").missing() && o.get("toolcalls").missing() {
		b.failed("a message with results failed: ", b.failureIn(o))
		return out
	}
	if e, ok := b.messageOf(o, pos); ok {
		out = append(out, e)
	}
	return out
}

// extractCalls moves tool calls from a list of parts to tool_calls, and returns the results.
func (b *builder) extractCalls(o object, field string) (results []chat.ToolResult) {
	list := o.get(field)
	if list.kind() != '[' {
		return nil
	}
	var parts, calls []json.RawMessage
	changed := false
	for item := range list.items {
		kind, _ := item.get("type").str()
		switch {
		case kind == "tool_call" || kind == "tool_use":
			calls = append(calls, item.text)
		case kind == "tool_call_response" || kind == "tool_result":
			results = append(results, b.resultPart(item))
		case !item.get("modality").missing():
			parts = append(parts, mediaPart(item, kind))
		default:
			parts = append(parts, item.text)
			continue
		}
		changed = true
	}
	if !changed {
		return nil
	}
	delete(o.members, field)
	if len(parts) > 0 {
		o.members[field] = value{jsonList(parts), list.at}
	}
	if len(calls) > 0 {
		o.members["toolcalls"] = value{jsonList(calls), list.at}
	}
	return results
}

// resultPart reads a tool result: {id, response}, or {tool_use_id, content, is_error}.
func (b *builder) resultPart(v value) (r chat.ToolResult) {
	o, ok := b.object(v, "a tool result")
	if !ok {
		return r
	}
	b.checkFields(o, "a tool result", resultFields())
	r.ID = b.text(o.get("id", "tooluseid"), "the id of a tool result")
	r.Name = b.text(o.get("name"), "the name of a tool")
	message := Message{Message: chat.Message{Role: chat.ToolRole}}
	b.content(&message, object{v, map[string]value{"content": o.get("response", "result", "content")}})
	r.Content, r.Parts = message.Content, message.Parts
	if kind, _ := v.get("type").str(); kind == "tool_call_response" {
		b.noErrorFlag = true
	}
	r.Error = b.resultFailure(o, r.Text())
	return r
}

// mediaPart converts {type: blob, modality, mime_type, content} and similar parts.
func mediaPart(v value, kind string) json.RawMessage {
	modality, _ := v.get("modality").str()
	switch modality {
	case "image", "audio", "video":
	default:
		modality = "document"
	}
	field, from := map[string]string{"blob": "data", "uri": "uri", "file": "path"}[kind],
		map[string]string{"blob": "content", "uri": "uri", "file": "fileid"}[kind]
	content, _ := v.get(from).str()
	mime, _ := v.get("mimetype").str()
	text, err := json.Marshal(jsonvalue.Object{
		"type": modality, "media": map[string]string{"mime_type": mime, field: content},
	})
	if err != nil { // a map of texts can always be encoded
		return v.text
	}
	return text
}

// jsonList encodes a list of values.
func jsonList(items []json.RawMessage) []byte {
	out := []byte{'['}
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']')
}
