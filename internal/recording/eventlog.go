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
	messageCreated      = "message.created"
	messageUpdated      = "message.updated"
	conversationStarted = "conversation.started"
	callCompleted       = "provider.call.completed"
)

func isEventLog(h *head) bool { return h.lines && h.has("seq", "event") }

// scanEventLog finds the sessions of a log by the ids of its events. Sessions may be interleaved.
func scanEventLog(s *scan) {
	talks := map[string]bool{} // by key, whether there is a message
	var seen numbers
	s.wholeLines(func(l line) bool {
		if n, err := strconv.ParseInt(string(l.get("seq").text), 10, 64); err == nil {
			seen.add(n, l.span.line)
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
		talks[key] = talks[key] || kind == messageCreated
		s.add(key, l.span)
		return true
	})
	if s.problems.Errors() == 0 && len(seen.runs) > 0 {
		s.noGap(&seen, seen.first())
	}
	s.join(talks)
}

// eventKey returns the type of an event, and the ids of its session and of its conversation, with a NUL between.
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

// join gives events without ids to the session that they can only belong to, and drops sessions without a message.
func (s *scan) join(talks map[string]bool) {
	ofSession := map[string][]*entry{} // the conversations of a session
	for _, e := range s.index.entries {
		if session, conversation := e.ids(); session != "" && conversation != "" {
			ofSession[session] = append(ofSession[session], e)
		}
	}
	ofTalk := map[string][]*entry{} // the sessions of a conversation; all of them under ""
	for _, e := range s.index.entries {
		session, conversation := e.ids()
		if session == "" || conversation == "" && s.adopt(e, ofSession[session], talks) {
			continue
		}
		if conversation != "" && len(ofSession[session]) > 1 {
			e.id = session + "/" + conversation
		}
		ofTalk[""] = append(ofTalk[""], e)
		if conversation != "" {
			ofTalk[conversation] = append(ofTalk[conversation], e)
		}
	}
	for _, e := range s.index.entries {
		if session, conversation := e.ids(); session == "" {
			s.adopt(e, ofTalk[conversation], talks)
		}
	}
	silent := 0
	s.index.keep(func(e *entry) bool {
		has, known := talks[e.key]
		if known && !has {
			silent++
		}
		return has
	})
	if silent > 0 && len(s.index.entries) > 0 {
		s.notef("%s without a message left out", plural.Count(silent, "session"))
	}
}

// ids takes the key of an event log apart.
func (e *entry) ids() (session, conversation string) {
	session, conversation, _ = strings.Cut(e.key, "\x00")
	return session, conversation
}

// adopt gives the events of e to the one session that they can belong to, if there is one. Without any they are a
// session of their own.
func (s *scan) adopt(e *entry, homes []*entry, talks map[string]bool) bool {
	if len(homes) > 1 && talks[e.key] {
		s.errorf(s.pos(e.first()), "event-without-session",
			"an event does not say to which of the %d conversations of this file it belongs", len(homes))
	}
	if len(homes) != 1 {
		return false
	}
	home := homes[0]
	home.spans = merge([]*entry{home, e})
	talks[home.key] = talks[home.key] || talks[e.key]
	delete(talks, e.key)
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

// event reads an event of a log or of a session file.
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

// stamp puts number and times of its event on a message.
func (b *builder) stamp(e *event, o object, seq value) {
	if t := b.time(o.get("timestamp"), "timestamp"); !t.IsZero() {
		e.At = t
	}
	e.seq = b.number(seq, "seq")
	if v := o.get("offset"); !v.missing() {
		e.Offset, e.offset = time.Duration(b.number(v, "offset")), true
	}
}

// prompt remembers the system prompt of a conversation, for the case that no message holds it.
func (b *builder) prompt(text string, v value) {
	if text != "" && b.system == nil {
		b.system = &event{Message: Message{
			Message: chat.Message{Role: chat.System, Content: text}, Offset: -1, Pos: b.pos(v),
		}}
	}
}
