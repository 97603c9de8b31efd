package recording

import (
	"encoding/json"
	"maps"
	"slices"
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
	if v, ok := attrs[systemAttr]; ok { // parts, or a text as some write it
		s.input = append(s.input, r.system(inner(v))...)
	}
	for _, key := range []string{inputAttr, promptAttr} {
		if v, ok := attrs[key]; ok && r.whole(key, v) {
			s.input = append(s.input, r.list(v, chat.User)...)
		}
	}
	for _, key := range []string{outputAttr, completionAttr} {
		if v, ok := attrs[key]; ok && r.whole(key, v) {
			s.output = append(s.output, r.list(v, chat.Assistant)...)
		}
	}
	s.input = append(s.input, r.numbered(attrs, promptAttr, chat.User)...)
	s.output = append(s.output, r.numbered(attrs, completionAttr, chat.Assistant)...)
}

// whole refuses messages that are no JSON any more: exporters cut long attributes. Only the older attributes may hold
// plain text.
func (r *spanReader) whole(key string, v value) bool {
	if key == promptAttr || key == completionAttr || inner(v).kind() != '"' {
		return true
	}
	r.b.broken = true
	r.b.problems.Errorf(r.pos, 1, "cut-attribute", "%s of the span is not valid JSON; it may have been cut", key).
		Hint = "raise the limit for the length of attributes in the instrumentation or in the exporter"
	return false
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

// event reads an event of a span: a message of which the fields are attributes, or JSON in one of them.
func (r *spanReader) event(s *aiSpan, name string, attrs attributes) {
	role := roleOfEvent(name)
	if role == "" {
		r.attributes(s, attrs) // gen_ai.content.prompt, gen_ai.client.inference.operation.details and their like
		return
	}
	o := object{value{at: r.at}, map[string]value{}}
	for _, key := range slices.Sorted(maps.Keys(attrs)) {
		field := strings.TrimPrefix(key, aiPrefix)
		if body := inner(attrs[key]); body.kind() == '{' && (field == "event.content" || field == "event.body") {
			r.fields(o, body)
			continue
		}
		if strings.Contains(field, ".") || key == "gen_ai.system" { // of the span, and no field of the message
			continue
		}
		o.members[foldKey([]byte(field))] = opened(field, attrs[key])
	}
	if said := o.get("message"); said.kind() == '{' { // of a choice
		delete(o.members, "message")
		r.fields(o, said)
	}
	if id := o.get("id"); role == chat.ToolRole && !id.missing() {
		o.members["toolcallid"] = id
	}
	messages := r.b.unfold(o, r.pos, role)
	if name == "gen_ai.choice" {
		s.output = append(s.output, messages...)
		return
	}
	s.input = append(s.input, messages...)
}

// fields adds the members of an object to a message.
func (r *spanReader) fields(o object, from value) {
	for key, member := range from.members {
		o.members[foldKey(key)] = opened(string(key), member)
	}
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
		out = append(out, r.b.unfold(o, r.pos, role)...)
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
