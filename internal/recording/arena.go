package recording

import (
	"cmp"
	"iter"
	"slices"

	"github.com/arena-evals/arena/internal/sortby"
)

func isArenaOutput(h *head) bool { return h.kind == '{' && h.has("messages", "runid") }

// readArenaOutput reads the result file of one PromptArena run.
func readArenaOutput(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		o, ok := b.object(p.value, "a result file")
		if !ok {
			return
		}
		b.arenaRun(o)
		messages := o.get("messages")
		if messages.kind() != '[' {
			b.errorf(o.value, "wrong-type", "Messages must be a list, found %s", describe(messages))
			return
		}
		for item := range messages.items {
			if e, ok := b.message(item); ok {
				b.add(e)
			}
		}
	}
}

func (b *builder) arenaRun(o object) {
	s := b.session
	s.ID = b.text(o.get("runid"), "RunID")
	s.Scenario = b.text(o.get("scenarioid"), "ScenarioID")
	s.Provider = b.text(o.get("providerid"), "ProviderID")
	s.Region = b.text(o.get("region"), "Region")
	s.Tags = b.texts(o.get("sessiontags"), "SessionTags")
	s.Labels = b.labels(o.get("labels"))
	s.Started = b.time(o.get("starttime"), "StartTime")
	s.Error = b.text(o.get("error"), "Error")
	s.Verdicts = b.verdicts(o.get("conversationassertions"))
	s.Evals = b.evals(o.get("evalresults"))
	b.keep(o.get("metadata"))
	b.keepLabels()
}

// labels reads a map of texts.
func (b *builder) labels(v value) map[string]string {
	if v.missing() {
		return nil
	}
	if _, ok := b.object(v, "labels"); !ok {
		return nil
	}
	labels := map[string]string{}
	for key, member := range v.members {
		labels[string(key)] = b.text(member, "a label")
	}
	return labels
}

func isArenaTurns(h *head) bool { return h.kind == '{' && h.has("turns", "scenarioid") }

// turn is a turn of the older form of PromptArena's output.
type turn struct {
	object
	index int
}

// readArenaTurns reads PromptArena's output by turns.
func readArenaTurns(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		o, ok := b.object(p.value, "an arena output")
		if !ok {
			return
		}
		s := b.session
		s.Scenario = b.text(o.get("scenarioid"), "scenario_id")
		s.Provider = b.text(o.get("providerid"), "provider_id")
		s.ID = b.text(o.get("runid", "sessionid"), "run_id")
		if m := o.get("metadata"); m.kind() == '{' {
			s.Tags = b.texts(m.get("tags"), "tags")
			b.keep(m)
		}
		for _, t := range b.turns(o.get("turns")) {
			b.turn(t.object)
		}
	}
}

// turns returns the turns, sorted by number.
func (b *builder) turns(v value) (list []turn) {
	if v.kind() != '[' {
		b.errorf(v, "wrong-type", "turns must be a list, found %s", describe(v))
	}
	for item := range v.items {
		if o, ok := b.object(item, "a turn"); ok {
			list = append(list, turn{o, b.count(o.get("turnindex"), "turn_index")})
		}
	}
	byIndex := func(x, y turn) int { return cmp.Compare(x.index, y.index) }
	if !slices.IsSortedFunc(list, byIndex) {
		sortby.Func(list, byIndex)
		b.notef("the turns were not in order; they are sorted by turn_index")
	}
	return list
}

// turn adds the user message, the reply and the tool results of a turn.
func (b *builder) turn(o object) {
	b.checkFields(o, "a turn", turnFields())
	at := b.time(o.get("timestamp"), "timestamp")
	user := o.get("usermessage")
	if user.missing() {
		b.errorf(o.value, "missing-content", "a turn has no user_message")
	} else {
		if m, ok := b.object(user, "user_message"); ok {
			e := event{Message: Message{Offset: -1, At: at, Pos: b.pos(user)}}
			e.Role = "user"
			b.checkFields(m, "user_message", messageFields())
			b.requireContent(m)
			b.content(&e.Message, m)
			b.add(e)
		}
	}
	b.response(o)
	for item := range o.get("toolresults").items {
		if m, ok := b.object(item, "a tool result"); ok {
			e := event{Message: Message{Offset: -1, Pos: b.pos(item)}}
			e.Role = "tool"
			b.checkFields(m, "a tool result", resultFields())
			b.requireContent(m)
			b.content(&e.Message, m)
			b.toolResult(&e.Message, m)
			b.add(e)
		}
	}
}

// response adds the reply of a turn with its verdicts.
func (b *builder) response(turn object) {
	v := turn.get("response")
	if v.missing() {
		if b.failed("", b.failureIn(turn)); b.session.Error == "" {
			b.errorf(turn.value, "missing-content", "a turn has neither a response nor an error")
		}
		return
	}
	o, ok := b.object(v, "response")
	if !ok {
		return
	}
	b.checkFields(o, "response", responseFields())
	message := o.get("message")
	if message.missing() {
		if b.failed("", b.failureIn(o)); b.session.Error == "" {
			b.errorf(v, "missing-content", "a response has neither a message nor an error")
		}
		return
	}
	b.failed("", cmp.Or(b.failureIn(o), b.failureIn(turn)))
	if e, ok := b.message(message); ok {
		if cost := o.get("cost"); cost.kind() == '{' {
			b.cost(&e.Message.Message, cost)
		}
		e.Verdicts = append(e.Verdicts, b.verdicts(turn.get("assertions"))...)
		b.add(e)
	}
}
