package recording

import (
	"fmt"
	"iter"

	"github.com/arena-evals/arena/internal/chat"
)

func isChatLog(h *head) bool {
	if kind, _ := h.keys["type"].str(); h.kind == '{' && kind == "message" && h.has("role", "content") {
		return true // a reply of Anthropic
	}
	if h.kind == '{' {
		return h.has("request", "response") || h.has("messages") && (h.lines || h.has("system") || h.has("maxtokens"))
	}
	return h.kind == '[' && (h.has("messages") || h.has("role") || h.has("request", "response"))
}

// scanChatLog finds a conversation on each line, or in each element of a list. A list of messages is one conversation.
func scanChatLog(s *scan) {
	if first, _, _ := s.firstLine(); first.kind() == '{' {
		s.completeLines(func(l line) bool {
			if l.get("messages").kind() != '[' && l.get("request").kind() != '{' && !isReply(l.value) {
				s.errorf(s.pos(l.span), "wrong-line", "a line of a chat log must have messages, or a request and a response").
					Hint = "is this line from another file?"
				return true
			}
			s.add(fmt.Sprint(l.line), l.span)
			return true
		})
		return
	}
	doc, p, ok := s.document()
	if !ok {
		return
	}
	if doc.kind() == '{' {
		s.add("", p)
		return
	}
	if s.elements(doc, p); s.index.entries == nil {
		s.add("", p) // a list of messages
	}
}

// isReply reports whether a value is a reply of Anthropic's Messages API.
func isReply(v value) bool {
	kind, _ := v.get("type").str()
	return kind == "message" && v.get("content").kind() == '['
}

// elements makes a session of each element of a list of conversations.
func (s *scan) elements(doc value, p span) {
	loc := &locator{text: doc.text, line: p.line, col: p.col}
	n := 0
	for item := range doc.items {
		if item.get("messages").missing() && item.get("request").missing() {
			if s.index.entries == nil {
				return
			}
			line, col := loc.place(item.at)
			s.errorf(s.pos(span{line: line, col: col}), "wrong-type", "an element of a chat log must have messages")
			continue
		}
		n++
		line, col := loc.place(item.at)
		s.add(fmt.Sprint(n), span{at: p.at + int64(item.at), size: int64(len(item.text)), line: line, col: col})
	}
}

func readChatLog(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		if p.kind() == '[' {
			b.chat(value{}, p.value)
			continue
		}
		o, ok := b.object(p.value, "a conversation")
		if !ok {
			continue
		}
		s := b.session
		s.ID = b.text(o.get("sessionid", "conversationid", "id", "customid"), "id")
		s.Model = b.text(o.get("model"), "model")
		b.chatMetadata(o.get("metadata"))
		switch {
		case !o.get("request").missing():
			b.checkConversation(o)
			b.readExchange(o)
		case o.get("messages").missing() && isReply(p.value):
			b.choices(o)
		default:
			b.checkConversation(o)
			b.chat(o.get("system"), b.messageList(o))
			b.separateReply(o)
		}
	}
}

// chatMetadata reads the known fields of metadata, which have no fixed form.
func (b *builder) chatMetadata(v value) {
	b.keep(v)
	if v.kind() == '{' {
		if o, ok := b.object(v, "metadata"); ok {
			b.doubtMetadata(o)
		}
	}
	s := b.session
	for _, known := range []struct {
		field *string
		name  string
	}{
		{&s.ID, "sessionid"}, {&s.Scenario, "scenarioid"}, {&s.Scenario, "scenario"},
		{&s.Provider, "providerid"}, {&s.Provider, "provider"}, {&s.Model, "model"},
	} {
		if text, ok := v.get(known.name).str(); ok && *known.field == "" {
			*known.field = text
		}
	}
	if tags := v.get("tags"); tags.kind() == '[' {
		s.Tags = b.texts(tags, "tags")
	}
	b.judges(v.get("judgetargets"))
}

// chat reads the messages of a conversation. Some APIs have the system prompt beside them.
func (b *builder) chat(system, messages value) {
	if !system.missing() {
		prompt := Message{Message: chat.Message{Role: chat.System}}
		b.content(&prompt, object{system, map[string]value{"content": system}})
		b.prompt(prompt.Content, system)
	}
	for item := range messages.items {
		b.chatMessage(item, "")
	}
}

func (b *builder) chatMessage(v value, role chat.Role) {
	o, ok := b.object(v, "a message")
	if !ok {
		b.badMessage = true
		return
	}
	for _, e := range b.splitMessage(o, b.pos(v), role) {
		b.add(e)
	}
}

// readExchange reads a request to a chat API and its response.
func (b *builder) readExchange(o object) {
	request, ok := b.object(body(o.get("request")), "request")
	if !ok {
		return
	}
	b.chat(request.get("system"), b.messageList(request))
	response := body(o.get("response"))
	if response.missing() {
		if b.session.Error == "" {
			b.errorf(o.value, "missing-content", "the exchange has neither a response nor an error").
				Hint = "a reply goes under \"response\""
		}
		return
	}
	r, ok := b.object(response, "response")
	if !ok {
		return
	}
	s := b.session
	if s.ID == "" {
		s.ID = b.text(r.get("id"), "id")
	}
	if model := b.text(r.get("model"), "model"); model != "" {
		s.Model = model
	} else if s.Model == "" {
		s.Model = b.text(request.get("model"), "model")
	}
	b.choices(r)
}

// separateReply reads a reply that is beside the messages: as the choices of the response, or as the whole response.
func (b *builder) separateReply(o object) {
	defer b.endOf(o)
	response := body(o.get("response"))
	switch {
	case !response.missing() && !o.get("choices").missing():
		b.errorf(response, "two-replies", "a conversation has choices and a response beside its messages").
			Hint = "keep the one that is the reply"
	case !o.get("choices").missing():
		b.addResponse(o)
	case response.kind() == '"':
		text, _ := response.str()
		reply := event{Message: Message{
			Message: chat.Message{Role: chat.Assistant, Content: text}, Offset: -1, Pos: b.pos(response),
		}}
		b.addReply(reply)
	case !response.missing():
		if r, ok := b.object(response, "response"); ok {
			b.addResponse(r)
		}
	}
}

// endOf reads why the conversation ended. The field may be beside the messages.
func (b *builder) endOf(o object) {
	word := b.text(o.get("finishreason", "stopreason"), "finish_reason")
	if n := len(b.events); n > 0 && b.events[n-1].Role == chat.Assistant && b.events[n-1].FinishReason == "" {
		b.events[n-1].FinishReason = word
	}
}

// addResponse adds the reply of a response that is beside the messages.
func (b *builder) addResponse(response object) {
	before := len(b.events)
	b.choices(response)
	if len(b.events) == before+1 {
		reply := b.events[before]
		b.events = b.events[:before]
		b.addReply(reply)
	}
}

// addReply adds a reply that is beside the messages, unless it is also the last of the messages.
func (b *builder) addReply(reply event) {
	n := len(b.events)
	if n == 0 || b.events[n-1].Role != chat.Assistant {
		b.add(reply)
		return
	}
	last := &b.events[n-1]
	if !sameContent(*last, reply) {
		b.problems.Errorf(reply.Pos, 1, "two-replies", "the messages end with a reply, and there is another one beside them").
			Hint = "keep the one that was given"
		return
	}
	if last.FinishReason == "" {
		last.FinishReason = reply.FinishReason
	}
	if last.Usage == nil && last.CostUSD == nil {
		last.Usage, last.CostUSD = reply.Usage, reply.CostUSD
	}
}

// choices reads the first choice of a response, or its one message.
func (b *builder) choices(r object) {
	b.failed("", b.failureIn(r))
	before := len(b.events)
	n := 0
	for item := range r.get("choices").items {
		if n++; n == 1 {
			b.choiceFailed(item)
			b.chatMessage(item.get("message"), chat.Assistant)
			b.setFinishReason(before, item.get("finishreason"), r.get("usage"))
		}
	}
	if n == 0 && r.get("content").kind() == '[' {
		b.chatMessage(r.value, chat.Assistant)
		b.setFinishReason(before, r.get("stopreason"), r.get("usage"))
		return
	}
	switch {
	case n > 1:
		b.severalChoices(n)
	case n == 0 && b.session.Error == "":
		b.errorf(r.value, "missing-field", "the response has neither choices nor an error")
	}
}

// choiceFailed reads whether a choice failed. Gateways report failures there.
func (b *builder) choiceFailed(choice value) {
	if o, ok := b.object(choice, "a choice"); ok {
		b.failed("", b.failureIn(o))
	}
}

// severalChoices notes that only the first of several choices is read, so the others are not judged.
func (b *builder) severalChoices(n int) {
	b.doubtf("a call has %d choices; the first one is taken", n)
}

// setFinishReason sets finish reason and usage of the reply that was read last.
func (b *builder) setFinishReason(before int, reason, usage value) {
	if len(b.events) == before {
		return
	}
	m := &b.events[len(b.events)-1].Message
	if word := b.text(reason, "finish_reason"); word != "" && chat.Complete(m.FinishReason) {
		m.FinishReason = word
	}
	if usage.kind() == '{' && m.Role == chat.Assistant {
		b.cost(&m.Message, usage)
	}
}

// body unwraps a request or response that is under "body".
func body(v value) value {
	if inner := v.get("body"); inner.kind() == '{' {
		return inner
	}
	return v
}
