package recording

import (
	"fmt"
	"iter"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
)

// Conversations in the ShareGPT form of training data: {"conversations": [{"from", "value"}]}.

func isShareGPT(h *head) bool { return h.has("conversations") }

var shareGPTFields = newLazyFields("from value weight loss loss_weight train markdown name id")

func scanShareGPT(s *scan) {
	n := 0
	s.records(nil, func(v value, p span) {
		if v.get("conversations").kind() != '[' {
			s.otherRecord(p, "a list of conversations")
			return
		}
		n++
		s.add(fmt.Sprint(n), p)
	})
}

func readShareGPT(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		o, ok := b.object(p.value, "a conversation")
		if !ok {
			continue
		}
		b.session.ID = b.text(o.get("id"), "id")
		b.session.Model = b.text(o.get("model"), "model")
		b.scalars(o, "a conversation", "conversations", "system", "tools", "id", "model")
		if system := b.text(o.get("system"), "system"); system != "" {
			b.prompt(system, o.get("system"))
		}
		for item := range o.get("conversations").items {
			b.shareGPTMessage(item)
		}
		b.failed("", b.failureIn(o))
		b.endOf(o)
	}
}

// scalars adds the other members of a record to the metadata. An unknown list or object is refused, because it may hold
// words of the conversation.
func (b *builder) scalars(o object, what string, known ...string) {
	fields := make(map[string]bool, len(known))
	for _, name := range known {
		fields[foldKey([]byte(name))] = true
	}
	for key, member := range o.value.members {
		if fields[foldKey(key)] || isEmpty(member) {
			continue
		}
		if kind := member.kind(); kind == '[' || kind == '{' {
			b.errorf(member, "unknown-field", "%s has an unknown field %q, whose content would be lost",
				what, cutText(string(key), 40)).Hint = diag.DidYouMean(string(key), known)
			continue
		}
		if decoded, err := chat.DecodeJSON(member.text); err == nil {
			b.keepAs(string(key), decoded)
		}
	}
}

var shareGPTRoles = []string{
	"human", "user", "gpt", "assistant", "system", "function_call", "tool_call", "observation", "tool", "tool_response",
}

func (b *builder) shareGPTMessage(v value) {
	o, ok := b.object(v, "a message")
	if !ok {
		b.badMessage = true
		return
	}
	if o.get("from").missing() && o.get("value").missing() && !o.get("messages").missing() {
		b.badMessage = true
		b.errorf(v, "unknown-recording", "read as ShareGPT for its key conversations, where messages have from and value; "+
			"here is a conversation with messages").
			Hint = `write each conversation as a line of its own, {"messages": […]}, in a file .jsonl`
		return
	}
	before := b.problems.Errors()
	b.checkFields(o, "a message", shareGPTFields())
	e := event{Message: Message{Offset: -1, Pos: b.pos(v)}}
	from, content := b.text(o.get("from"), "from"), o.get("value")
	text, isText := content.str()
	if !isText {
		b.errorf(content.or(v), "missing-content", "the value of a message must be text, found %s", describe(content))
	}
	e.Content = text
	switch strings.ToLower(from) {
	case "human", "user":
		e.Role = chat.User
	case "system":
		e.Role = chat.System
	case "gpt", "assistant", "chatgpt", "bing", "bard", "claude", "model", "ai":
		e.Role = chat.Assistant
		b.taggedCalls(&e.Message, content)
	case "function_call", "tool_call":
		e.Role, e.Content = chat.Assistant, ""
		b.writtenCalls(&e.Message, content, text)
	case "observation", "tool", "tool_response", "function_response", "function":
		e.Role = chat.ToolRole
		e.ToolResult = &chat.ToolResult{Name: b.text(o.get("name"), "name"), Content: text}
		b.noErrorFlag = true
	default:
		b.errorf(o.get("from").or(v), "unknown-role", "a message is from %q, an unknown speaker", cutText(from, 40)).
			Hint = orKnown(diag.DidYouMean(from, shareGPTRoles), shareGPTRoles)
	}
	if b.problems.Errors() > before {
		b.badMessage = true
		return
	}
	b.add(e)
}

// writtenCalls reads tool calls that are JSON in a text: {"name", "arguments"}, or a list of these.
func (b *builder) writtenCalls(m *Message, at value, text string) {
	calls := jsonIn(text)
	switch calls.kind() {
	case '{':
		m.ToolCalls = append(m.ToolCalls, b.toolCall(value{calls.text, at.at}))
	case '[':
		for item := range calls.items {
			m.ToolCalls = append(m.ToolCalls, b.toolCall(value{item.text, at.at}))
		}
	default:
		b.errorf(at, "wrong-type", "the call of a tool is no JSON: %s", cutText(text, 60)).
			Hint = `it is written as {"name": …, "arguments": {…}}`
	}
}

// The tags around calls that models write into their replies.
const (
	callStart = "<tool_call>"
	callEnd   = "</tool_call>"
)

// taggedCalls moves calls between tags from the text of a reply to its tool calls.
func (b *builder) taggedCalls(m *Message, at value) {
	for {
		before, rest, found := strings.Cut(m.Content, callStart)
		if !found {
			return
		}
		call, after, closed := strings.Cut(rest, callEnd)
		if !closed {
			b.errorf(at, "wrong-type", "a reply begins the call of a tool with %s, which has no end", callStart)
			return
		}
		errors := b.problems.Errors()
		b.writtenCalls(m, at, call)
		if b.problems.Errors() > errors {
			return
		}
		m.Content = strings.TrimSpace(before + strings.TrimLeft(after, " \n"))
	}
}
