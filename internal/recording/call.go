package recording

import (
	"cmp"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/chat"
)

// modelCall is what an event of its own says of a call of a model.
type modelCall struct {
	seq   int64
	index int          // of its reply, where the event names it
	took  chat.Message // usage, cost, latency and finish reason
}

// call reads an event that tells of a call of the agent.
func (b *builder) call(o object, seq value) {
	c := modelCall{seq: b.number(seq, "seq")}
	c.took.FinishReason = b.text(o.get("finishreason"), "finish_reason")
	if f := b.amount(o.get("latencyms"), "latency_ms"); f != nil {
		c.took.LatencyMS = *f
	}
	if f := b.amount(o.get("duration"), "Duration"); f != nil {
		c.took.LatencyMS = *f / float64(time.Millisecond)
	}
	b.cost(&c.took, o.value)
	if usage := o.get("usage"); usage.kind() == '{' {
		b.cost(&c.took, usage)
	}
	b.calls = append(b.calls, c)
	s := b.session
	s.Provider = cmp.Or(s.Provider, b.text(o.get("provider"), "provider"))
	s.Model = cmp.Or(s.Model, b.text(o.get("model"), "model"))
}

// update reads an event that tells what a reply took, which it names by its index.
func (b *builder) update(o object) {
	u := modelCall{index: b.count(o.get("index"), "Index")}
	if f := b.amount(o.get("latencyms"), "LatencyMs"); f != nil {
		u.took.LatencyMS = *f
	}
	b.cost(&u.took, o.value)
	b.updates = append(b.updates, u)
}

// attribute puts what calls took on their replies.
func (b *builder) attribute() {
	var replies []*event
	byIndex := map[int]*event{} // nil: there are several, as in logs that number nothing
	for i := range b.events {
		e := &b.events[i]
		if e.Role != chat.Assistant {
			continue
		}
		replies = append(replies, e)
		if _, twice := byIndex[e.index]; twice {
			e = nil
		}
		byIndex[b.events[i].index] = e
	}
	for i := range b.updates {
		if e := byIndex[b.updates[i].index]; e != nil {
			b.updates[i].put(&e.Message.Message)
		}
	}
	b.attributeCalls(replies)
}

// attributeCalls goes through calls and replies one after the other when there are as many of both. Otherwise a reply
// belongs to the call before it, in logs whose order can be relied on; in others nobody can tell.
func (b *builder) attributeCalls(replies []*event) {
	slices.SortStableFunc(b.calls, func(x, y modelCall) int { return cmp.Compare(x.seq, y.seq) })
	if len(replies) == len(b.calls) {
		for i, e := range replies {
			b.calls[i].put(&e.Message.Message)
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
			last.put(&e.Message.Message)
		}
	}
}

// put completes a reply.
func (c *modelCall) put(m *chat.Message) {
	if m.Usage == nil && m.CostUSD == nil && m.LatencyMS == 0 {
		m.Usage, m.CostUSD, m.LatencyMS = c.took.Usage, c.took.CostUSD, c.took.LatencyMS
	}
	m.FinishReason = cmp.Or(m.FinishReason, c.took.FinishReason)
}
