package recording

import (
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
)

// The types of events that matter here. All others are passed over: logs are full of sound and of what tools added.
const (
	// The types of events that are read. Others, such as audio, are ignored.
	messageCreated      = "message.created"
	messageUpdated      = "message.updated"
	conversationStarted = "conversation.started"
	callCompleted       = "provider.call.completed"
)

func isEventLog(h *head) bool { return h.lines && h.has("seq", "event") }

// scanEventLog finds the sessions of a log by the ids of its events. Sessions may be interleaved.
func scanEventLog(s *scan) {
	hasMessage := map[string]bool{} // by key
	var seqs seqRanges
	s.completeLines(func(l line) bool {
		if n, err := strconv.ParseInt(string(l.get("seq").text), 10, 64); err == nil {
			seqs.add(n, l.span.line)
		}
		e := l.get("event")
		if e.kind() != '{' {
			s.errorf(s.pos(l.span), "wrong-line", "a line of an event log must have an event").
				Hint = "is this line from another file?"
			return true
		}
		kind, key := eventKey(e)
		switch kind {
		case "":
			s.errorf(s.pos(l.span), "missing-field", "an event has no type")
			return true
		case messageCreated, messageUpdated, conversationStarted, callCompleted:
		default:
			return true
		}
		hasMessage[key] = hasMessage[key] || kind == messageCreated
		s.add(key, l.span)
		return true
	})
	if s.problems.Errors() == 0 && len(seqs.ranges) > 0 {
		s.checkGaps(&seqs, seqs.first())
	}
	s.joinSessions(hasMessage)
}

// eventKey returns the type of an event, and the ids of its session and conversation, separated by NUL.
func eventKey(e value) (kind, key string) {
	var session, conversation string
	for name, v := range e.members {
		switch foldKey(name) {
		case "type":
			kind, _ = v.str()
		case "sessionid":
			session, _ = v.str()
		case "conversationid":
			conversation, _ = v.str()
		}
	}
	return kind, session + "\x00" + conversation
}

// joinSessions adds events without ids to the only session that fits, and drops sessions without messages.
func (s *scan) joinSessions(hasMessage map[string]bool) {
	ofSession := map[string][]*entry{} // conversations by session
	for _, e := range s.index.entries {
		if session, conversation := e.ids(); session != "" && conversation != "" {
			ofSession[session] = append(ofSession[session], e)
		}
	}
	ofConversation := map[string][]*entry{} // sessions by conversation; "": all sessions
	for _, e := range s.index.entries {
		session, conversation := e.ids()
		if session == "" || conversation == "" && s.assign(e, ofSession[session], hasMessage) {
			continue
		}
		if conversation != "" && len(ofSession[session]) > 1 {
			e.id = session + "/" + conversation
		}
		ofConversation[""] = append(ofConversation[""], e)
		if conversation != "" {
			ofConversation[conversation] = append(ofConversation[conversation], e)
		}
	}
	for _, e := range s.index.entries {
		if session, conversation := e.ids(); session == "" {
			s.assign(e, ofConversation[conversation], hasMessage)
		}
	}
	empty := 0
	s.index.keep(func(e *entry) bool {
		has, known := hasMessage[e.key]
		if known && !has {
			empty++
		}
		return has
	})
	if empty > 0 && len(s.index.entries) > 0 {
		s.notef("%s without a message left out", plural.Count(empty, "session"))
	}
}

// ids splits the key of an event log.
func (e *entry) ids() (session, conversation string) {
	session, conversation, _ = strings.Cut(e.key, "\x00")
	return session, conversation
}

// assign adds the events of e to the only session that fits. Without any e stays a session.
func (s *scan) assign(e *entry, candidates []*entry, hasMessage map[string]bool) bool {
	if len(candidates) > 1 && hasMessage[e.key] {
		s.errorf(s.pos(e.first()), "event-without-session",
			"an event does not say to which of the %d conversations of this file it belongs", len(candidates))
	}
	if len(candidates) != 1 {
		return false
	}
	session := candidates[0]
	session.places = merge([]*entry{session, e})
	hasMessage[session.key] = hasMessage[session.key] || hasMessage[e.key]
	delete(hasMessage, e.key)
	return true
}

func readEventLog(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		o, ok := b.object(p.value, "a line")
		if !ok {
			continue
		}
		if e, ok := b.object(o.get("event"), "an event"); ok {
			b.event(e, o.get("seq", "sequence"))
		}
	}
}

// event reads an event of a log or a session file.
func (b *builder) event(o object, seq value) {
	s := b.session
	if s.ID == "" {
		s.ID = b.text(o.get("sessionid"), "session_id")
	}
	if s.ID == "" {
		s.ID = b.text(o.get("conversationid"), "conversation_id")
	}
	data := o.get("data")
	switch b.text(o.get("type"), "type") {
	case messageCreated:
		e, ok := b.message(data)
		if !ok {
			return
		}
		e.index = b.count(data.get("index"), "Index")
		e.Pos = b.pos(o.value)
		b.stamp(&e, o, seq)
		b.add(e)
	case "message":
		if e, ok := b.message(o.get("message")); ok {
			b.stamp(&e, o, seq)
			b.add(e)
		}
	case messageUpdated:
		if o, ok := b.object(data, "data"); ok {
			b.update(o)
		}
	case callCompleted:
		source, _ := data.get("source").str()
		if o, ok := b.object(data, "data"); ok && (source == "" || source == "agent") {
			b.call(o, seq)
		}
	case conversationStarted:
		b.prompt(b.text(data.get("systemprompt"), "system prompt"), o.value)
	case "":
		b.errorf(o.value, "missing-field", "an event has no type")
	}
}

// stamp sets number and times of a message from its event.
func (b *builder) stamp(e *event, o object, seq value) {
	if t := b.time(o.get("timestamp"), "timestamp"); !t.IsZero() {
		e.At = t
	}
	e.seq = b.number(seq, "seq")
	if v := o.get("offset"); !v.missing() {
		e.Offset, e.offset = time.Duration(b.number(v, "offset")), true
	}
}

// prompt keeps the system prompt of a conversation in case no message has it.
func (b *builder) prompt(text string, v value) {
	if text != "" && b.system == nil {
		b.system = &event{Message: Message{
			Message: chat.Message{Role: chat.System, Content: text}, Offset: -1, Pos: b.pos(v),
		}}
	}
}
