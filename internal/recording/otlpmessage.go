package recording

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
)

// spanMessages reads the input and output messages of a model call.
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

// spanReader reads the messages of one span. Their position is that of the span, because positions within the JSON of
// an attribute mean nothing to people.
type spanReader struct {
	b   *builder
	pos diag.Pos
	at  int
}

func (r *spanReader) attributes(s *aiSpan, attrs attributes) {
	if v, ok := attrs[systemAttr]; ok { // parts, or a text
		s.input = append(s.input, r.system(nestedJSON(v))...)
	}
	for _, key := range []string{inputAttr, promptAttr} {
		if v, ok := attrs[key]; ok && r.isComplete(key, v) {
			s.input = append(s.input, r.list(v, chat.User)...)
		}
	}
	for _, key := range []string{outputAttr, completionAttr} {
		if v, ok := attrs[key]; ok && r.isComplete(key, v) {
			s.output = append(s.output, r.list(v, chat.Assistant)...)
		}
	}
	s.input = append(s.input, r.numbered(attrs, promptAttr, chat.User)...)
	s.output = append(s.output, r.numbered(attrs, completionAttr, chat.Assistant)...)
}

// isComplete refuses messages that are not valid JSON, because exporters cut long attributes. Only the older attributes
// may be plain text.
func (r *spanReader) isComplete(key string, v value) bool {
	if key == promptAttr || key == completionAttr || nestedJSON(v).kind() != '"' {
		return true
	}
	r.b.badMessage = true
	r.b.problems.Errorf(r.pos, 1, "cut-attribute", "%s of the span is not valid JSON; it may have been cut", key).
		Hint = "raise the limit for the length of attributes in the instrumentation or in the exporter"
	return false
}

// roleOfEvent is the role of the message in an event; "" when it has none.
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

// event reads an event of a span: a message whose fields are attributes, or JSON in one of them.
func (r *spanReader) event(s *aiSpan, name string, attrs attributes) {
	role := roleOfEvent(name)
	if role == "" {
		r.attributes(s, attrs) // for attributes such as gen_ai.content.prompt
		return
	}
	o := object{value{at: r.at}, map[string]value{}}
	for _, key := range slices.Sorted(maps.Keys(attrs)) {
		field := strings.TrimPrefix(key, aiPrefix)
		if body := nestedJSON(attrs[key]); body.kind() == '{' && (field == "event.content" || field == "event.body") {
			r.fields(o, body)
			continue
		}
		if strings.Contains(field, ".") || key == "gen_ai.system" { // an attribute of the span
			continue
		}
		o.members[foldKey([]byte(field))] = parseNested(field, attrs[key])
	}
	if nested := o.get("message"); nested.kind() == '{' { // of a choice
		delete(o.members, "message")
		r.fields(o, nested)
	}
	if id := o.get("id"); role == chat.ToolRole && !id.missing() {
		o.members["toolcallid"] = id
	}
	messages := r.b.splitMessage(o, r.pos, role)
	if name == "gen_ai.choice" {
		s.output = append(s.output, messages...)
		return
	}
	s.input = append(s.input, messages...)
}

// fields adds the members of an object to a message.
func (r *spanReader) fields(o object, from value) {
	for key, member := range from.members {
		o.members[foldKey(key)] = parseNested(string(key), member)
	}
}

// parseNested parses texts that hold lists of tool calls or parts. Content that only looks like JSON stays a text.
func parseNested(name string, v value) value {
	switch content := nestedJSON(v); foldKey([]byte(name)) {
	case "toolcalls", "message", "parts":
		return content
	case "content":
		if content.kind() == '[' && hasTypes(content) {
			return content
		}
	}
	return v
}

// hasTypes reports whether every element of a list is an object with a type, as parts are.
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
	messages := nestedJSON(v)
	if messages.kind() == '{' {
		if list := messages.get("messages"); list.kind() == '[' {
			messages = list
		} else {
			messages = value{jsonList([]json.RawMessage{messages.text}), r.at}
		}
	}
	if messages.kind() != '[' {
		text, _ := messages.scalar()
		return []event{r.textMessage(role, text)}
	}
	for item := range messages.items {
		o, ok := r.b.object(value{item.text, r.at}, "a message")
		if !ok {
			return out
		}
		for name, member := range o.members {
			o.members[name] = parseNested(name, member)
		}
		out = append(out, r.b.splitMessage(o, r.pos, role)...)
	}
	return out
}

// system reads system instructions: parts or messages.
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
	return []event{r.textMessage(chat.System, text.String())}
}

func (r *spanReader) textMessage(role chat.Role, text string) event {
	return event{Message: Message{Message: chat.Message{Role: role, Content: text}, Offset: -1, Pos: r.pos}}
}
