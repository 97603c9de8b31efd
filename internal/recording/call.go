package recording

import (
	"cmp"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/sortby"
)

// modelCall is an event about a model call.
type modelCall struct {
	seq      int64
	index    int          // of the reply, if the event has it
	measures chat.Message // usage, cost, latency and finish reason
}

// call reads the event of a model call of the agent.
func (b *builder) call(o object, seq value) {
	c := modelCall{seq: b.number(seq, "seq")}
	c.measures.FinishReason = b.text(o.get("finishreason"), "finish_reason")
	if f := b.amount(o.get("latencyms"), "latency_ms"); f != nil {
		c.measures.LatencyMS = *f
	}
	if f := b.amount(o.get("duration"), "Duration"); f != nil {
		c.measures.LatencyMS = *f / float64(time.Millisecond)
	}
	b.cost(&c.measures, o.value)
	if usage := o.get("usage"); usage.kind() == '{' {
		b.cost(&c.measures, usage)
	}
	b.calls = append(b.calls, c)
	s := b.session
	s.Provider = cmp.Or(s.Provider, b.text(o.get("provider"), "provider"))
	s.Model = cmp.Or(s.Model, b.text(o.get("model"), "model"))
}

// update reads an event with the measures of a reply, which it names by index.
func (b *builder) update(o object) {
	u := modelCall{index: b.count(o.get("index"), "Index")}
	if f := b.amount(o.get("latencyms"), "LatencyMs"); f != nil {
		u.measures.LatencyMS = *f
	}
	b.cost(&u.measures, o.value)
	b.updates = append(b.updates, u)
}

// addMeasures adds the measures of calls to their replies.
func (b *builder) addMeasures() {
	var replies []*event
	byIndex := map[int]*event{} // nil: several replies have the index
	for i := range b.events {
		e := &b.events[i]
		if e.Role != chat.Assistant {
			continue
		}
		replies = append(replies, e)
		if _, duplicate := byIndex[e.index]; duplicate {
			e = nil
		}
		byIndex[b.events[i].index] = e
	}
	for i := range b.updates {
		if e := byIndex[b.updates[i].index]; e != nil {
			b.updates[i].setOn(&e.Message.Message)
		}
	}
	b.addCallMeasures(replies)
}

// addCallMeasures pairs calls and replies in order when there are as many of both. Otherwise a reply belongs to the
// call before it, in logs with a reliable order; in other logs the call is not known.
func (b *builder) addCallMeasures(replies []*event) {
	sortby.Func(b.calls, func(x, y modelCall) int { return cmp.Compare(x.seq, y.seq) })
	if len(replies) == len(b.calls) {
		for i, e := range replies {
			b.calls[i].setOn(&e.Message.Message)
		}
		return
	}
	next := 0
	for _, e := range replies {
		var last *modelCall
		for b.ordered && next < len(b.calls) && b.calls[next].seq < e.seq {
			last = &b.calls[next]
			next++
		}
		if last != nil {
			last.setOn(&e.Message.Message)
		}
	}
}

// setOn adds the measures of the call to a reply.
func (c *modelCall) setOn(m *chat.Message) {
	if m.Usage == nil && m.CostUSD == nil && m.LatencyMS == 0 {
		m.Usage, m.CostUSD, m.LatencyMS = c.measures.Usage, c.measures.CostUSD, c.measures.LatencyMS
		m.Unreported = append(m.Unreported, c.measures.Unreported...)
	}
	m.FinishReason = cmp.Or(m.FinishReason, c.measures.FinishReason)
}
