package recording

import (
	"encoding/json"

	"github.com/arena-evals/arena/internal/chat"
)

// convert rewrites the parts of the conventions into what messages have elsewhere, and takes out results of tools.
func (r *spanReader) convert(o *object) (results []chat.ToolResult) {
	list := o.get("parts")
	if list.kind() != '[' {
		return nil
	}
	parts, calls := []json.RawMessage{}, []json.RawMessage{}
	for item := range list.items {
		switch kind, _ := item.get("type").str(); kind {
		case "tool_call":
			calls = append(calls, item.text)
		case "tool_call_response":
			results = append(results, toolResponse(item))
		case "blob", "uri", "file":
			parts = append(parts, modal(item, kind))
		default:
			parts = append(parts, item.text)
		}
	}
	delete(o.members, "parts")
	if len(parts) > 0 {
		o.members["parts"] = value{joined(parts), r.at}
		if len(results) > 0 {
			o.members["content"] = o.members["parts"]
			delete(o.members, "parts")
		}
	}
	if len(calls) > 0 {
		o.members["toolcalls"] = value{joined(calls), r.at}
	}
	return results
}

func toolResponse(v value) chat.ToolResult {
	result := chat.ToolResult{}
	result.ID, _ = v.get("id").scalar()
	result.Name, _ = v.get("name").scalar()
	said := v.get("response")
	if said.missing() {
		said = v.get("result")
	}
	text, ok := said.str()
	if !ok && !said.missing() {
		text = string(said.text)
	}
	result.Content = text
	return result
}

// modal rewrites {type: blob, modality, mime_type, content} and its like.
func modal(v value, kind string) json.RawMessage {
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
	text, err := json.Marshal(map[string]any{
		"type": modality, "media": map[string]string{"mime_type": mime, field: content},
	})
	if err != nil { // maps of text can always be written
		return v.text
	}
	return text
}

// joined writes a list of values.
func joined(items []json.RawMessage) []byte {
	out := []byte{'['}
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']')
}
