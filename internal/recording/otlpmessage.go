package recording

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
)

// spanMessages reads what was said to a model and what it said.
func (b *builder) spanMessages(s *aiSpan, v value, attrs attributes, events value) {
	from := &spanReader{b: b, pos: b.pos(v), at: v.at}
	from.attributes(s, attrs)
	for item := range events.items {
		o, ok := b.object(item, "an event of a span")
		if !ok {
			return
		}
		name, _ := o.get("name").str()
		from.event(s, name, b.attributes(o.get("attributes")))
	}
	for i := range s.input {
		s.input[i].At = s.start
	}
	for i := range s.output {
		s.output[i].At = s.end
	}
}

// spanReader reads the messages of one span. Their place is that of the span: within attributes they are often JSON
// in a text, where places mean nothing to people.
type spanReader struct {
	b   *builder
	pos diag.Pos
	at  int
}

func (r *spanReader) attributes(s *aiSpan, attrs attributes) {
	if v, ok := attrs[systemAttr]; ok {
		s.input = append(s.input, r.system(inner(v))...)
	}
	for _, key := range []string{inputAttr, promptAttr} {
		if v, ok := attrs[key]; ok {
			s.input = append(s.input, r.list(v, chat.User)...)
		}
	}
	for _, key := range []string{outputAttr, completionAttr} {
		if v, ok := attrs[key]; ok {
			s.output = append(s.output, r.list(v, chat.Assistant)...)
		}
	}
	s.input = append(s.input, r.numbered(attrs, promptAttr, chat.User)...)
	s.output = append(s.output, r.numbered(attrs, completionAttr, chat.Assistant)...)
}

// roleOfEvent is the role of the message in an event, or "" when it holds none.
func roleOfEvent(name string) chat.Role {
	switch name {
	case "gen_ai.system.message":
		return chat.System
	case "gen_ai.user.message":
		return chat.User
	case "gen_ai.assistant.message", "gen_ai.choice":
		return chat.Assistant
	case "gen_ai.tool.message":
		return chat.ToolRole
	}
	return ""
}

func (r *spanReader) event(s *aiSpan, name string, attrs attributes) {
	role := roleOfEvent(name)
	if role == "" {
		r.attributes(s, attrs) // gen_ai.content.prompt, gen_ai.client.inference.operation.details and their like
		return
	}
	body := object{value{at: r.at}, map[string]value{}}
	for key, v := range attrs {
		name := strings.TrimPrefix(key, aiPrefix)
		if name == "event.content" || name == "message" || key == "event.body" {
			continue
		}
		body.members[foldKey([]byte(name))] = opened(name, v)
	}
	for _, key := range []string{"gen_ai.event.content", "event.body", "message"} {
		if v := inner(attrs[key]); v.kind() == '{' {
			for name, member := range v.members {
				body.members[foldKey(name)] = opened(string(name), member)
			}
		}
	}
	if m := body.get("message"); m.kind() == '{' {
		for name, member := range m.members {
			body.members[foldKey(name)] = opened(string(name), member)
		}
	}
	messages := r.message(body, role)
	if name == "gen_ai.choice" {
		s.output = append(s.output, messages...)
		return
	}
	s.input = append(s.input, messages...)
}

// opened opens the texts in which instrumentations put lists of tool calls and of parts; a content that merely looks
// like JSON is left alone.
func opened(name string, v value) value {
	switch content := inner(v); foldKey([]byte(name)) {
	case "toolcalls", "message", "parts":
		return content
	case "content":
		if content.kind() == '[' && hasTypes(content) {
			return content
		}
	}
	return v
}

// hasTypes says whether every element of a list is an object with a type, as parts are.
func hasTypes(v value) bool {
	n := 0
	for item := range v.items {
		if item.get("type").kind() != '"' {
			return false
		}
		n++
	}
	return n > 0
}

// list reads a list of messages, which may be JSON in a text. Any other text is one message.
func (r *spanReader) list(v value, role chat.Role) (out []event) {
	messages := inner(v)
	if messages.kind() == '{' {
		if list := messages.get("messages"); list.kind() == '[' {
			messages = list
		} else {
			messages = value{joined([]json.RawMessage{messages.text}), r.at}
		}
	}
	if messages.kind() != '[' {
		text, _ := messages.scalar()
		return []event{r.said(role, text)}
	}
	for item := range messages.items {
		o, ok := r.b.object(value{item.text, r.at}, "a message")
		if !ok {
			return out
		}
		for name, member := range o.members {
			o.members[name] = opened(name, member)
		}
		out = append(out, r.message(o, role)...)
	}
	return out
}

// system reads instructions: parts, or messages.
func (r *spanReader) system(v value) []event {
	if v.kind() != '[' {
		return r.list(v, chat.System)
	}
	var text strings.Builder
	for item := range v.items {
		s, ok := item.get("content").str()
		if !ok {
			s, _ = item.scalar()
		}
		text.WriteString(s)
	}
	return []event{r.said(chat.System, text.String())}
}

func (r *spanReader) said(role chat.Role, text string) event {
	return event{Message: Message{Message: chat.Message{Role: role, Content: text}, Offset: -1, Pos: r.pos}}
}

// message reads a message with parts of the conventions, or one as chat APIs write it. The results of several tools in
// one message become a message each.
func (r *spanReader) message(o object, role chat.Role) []event {
	if o.get("role").missing() {
		o.members["role"] = value{[]byte(strconv.Quote(string(role))), r.at}
	}
	results := r.convert(&o)
	var out []event
	if len(results) == 0 || !o.get("content").missing() || !o.get("toolcalls").missing() {
		if e, ok := r.b.messageOf(o, r.pos); ok {
			out = append(out, e)
		}
	}
	for _, result := range results {
		e := r.said(chat.ToolRole, result.Content)
		e.ToolResult = &result
		out = append(out, e)
	}
	return out
}

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

// numbered reads gen_ai.prompt.0.role and its like.
func (r *spanReader) numbered(attrs attributes, prefix string, role chat.Role) (out []event) {
	for i := 0; ; i++ {
		start := prefix + "." + strconv.Itoa(i) + "."
		o := object{value{at: r.at}, map[string]value{}}
		for key, v := range attrs {
			if field, ok := strings.CutPrefix(key, start); ok && !strings.Contains(field, ".") {
				o.members[foldKey([]byte(field))] = opened(field, v)
			}
		}
		calls := r.numberedCalls(attrs, start+"tool_calls.")
		if calls != nil {
			o.members["toolcalls"] = value{calls, r.at}
		}
		if len(o.members) == 0 {
			return out
		}
		out = append(out, r.message(o, role)...)
	}
}

func (r *spanReader) numberedCalls(attrs attributes, prefix string) []byte {
	var calls []json.RawMessage
	for i := 0; ; i++ {
		start := prefix + strconv.Itoa(i) + "."
		var call bytes.Buffer
		for _, field := range []string{"id", "name", "arguments"} {
			if v, ok := attrs[start+field]; ok && len(v.text) > 0 {
				if call.Len() > 0 {
					call.WriteByte(',')
				}
				call.WriteString(strconv.Quote(field) + ":")
				call.Write(v.text)
			}
		}
		if call.Len() == 0 {
			break
		}
		calls = append(calls, json.RawMessage("{"+call.String()+"}"))
	}
	if calls == nil {
		return nil
	}
	return joined(calls)
}
