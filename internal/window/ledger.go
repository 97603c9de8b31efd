package window

import "github.com/arena-evals/arena/internal/chat"

// Ledger records the sizes of the messages of a transcript: as counted by the provider, or else estimated. The zero
// value is for an empty transcript.
//
// A provider counts whole calls. The first call of a conversation gives the total of its messages, and the difference
// between two calls gives the messages in between. A reply is counted alone.
type Ledger struct {
	items []Item
	known int // of the items the first ones, which no later count changes

	sent     []Span   // of the last call; nil: its reply was counted, or there was none
	added    int      // tokens of what stood for messages that it was not sent
	overhead Overhead // what was sent with the messages
	outside  Overhead // for which base is
	base     int      // tokens of each call other than the messages; 0: not known
}

// Overhead is what a call sends in addition to the messages of the conversation. Equal overheads have equal sizes.
type Overhead struct {
	System int // index of the system prompt in the transcript; NoSystem: none
	Tools  int // how many are offered
}

// NoSystem is the system prompt of calls without one.
const NoSystem = -1

// most is the largest count of a call that is used; larger ones are ignored.
const most = 1 << 30

// Take adds the messages of a transcript that came since the last time, and returns all items. They are valid until the
// next call.
func (l *Ledger) Take(messages []chat.Message) []Item {
	for i := len(l.items); i < len(messages); i++ {
		m := &messages[i]
		l.items = append(l.items, Item{Tokens: Estimate(m), Kind: kindOf(m)})
		if m.Role == chat.Assistant && l.sent != nil {
			l.learn(m, i)
			l.sent = nil
		}
	}
	return l.items
}

func kindOf(m *chat.Message) Kind {
	switch m.Role {
	case chat.User:
		return User
	case chat.ToolRole:
		return Result
	case chat.System:
		return System
	case chat.Assistant:
	}
	return Other
}

// System is the size of a system prompt by its index.
func (l *Ledger) System(at int) int {
	if at == NoSystem {
		return 0
	}
	return l.items[at].Tokens
}

// Sent records what the next call sends, so that the count in its reply can be split. added is the number of tokens
// that replace messages which are not sent.
func (l *Ledger) Sent(spans []Span, added int, beside Overhead) {
	l.sent, l.added, l.overhead = spans, added, beside
}

// learn takes the count of the call to which m is the reply, at an index.
func (l *Ledger) learn(m *chat.Message, at int) {
	u := m.Usage
	if u == nil || u.Estimated || u.InputTokens <= 0 || u.Total() > most || m.ModelCalls != nil {
		return
	}
	if said := u.OutputTokens - u.ReasoningTokens; said > 0 && m.Original == nil {
		l.items[at].Tokens, l.items[at].Counted = said, true
	}
	old, fresh := l.added, 0 // tokens
	for _, s := range l.sent {
		for i := s.From; i < min(s.To, at); i++ {
			switch it := &l.items[i]; {
			case it.Kind == System:
			case l.fresh(i):
				fresh += it.Tokens
			default:
				old += it.Tokens
			}
		}
	}
	system, rest := l.System(l.overhead.System), u.InputTokens-old
	switch {
	case l.base > 0 && l.outside == l.overhead:
		l.share(rest-l.base, fresh, at)
	case l.overhead.Tools > 0: // their size is not known
		l.base, l.outside = max(rest-fresh, 0), l.overhead
	case rest > 0 && system+fresh > 0:
		if system = rest * system / (system + fresh); fresh == 0 {
			system = rest
		}
		if l.overhead.System != NoSystem {
			l.items[l.overhead.System].Tokens, l.items[l.overhead.System].Counted = system, true
		}
		l.share(rest-system, fresh, at)
		l.base, l.outside = system, l.overhead
	}
	l.known = at + 1
}

// fresh reports whether the size of an item is not known yet.
func (l *Ledger) fresh(i int) bool {
	return i >= l.known && !l.items[i].Counted && l.items[i].Kind != System
}

// share gives the items of the last call that are fresh their part of what these take together.
func (l *Ledger) share(together, estimated, before int) {
	if together <= 0 || estimated <= 0 {
		return
	}
	for _, s := range l.sent {
		for i := s.From; i < min(s.To, before); i++ {
			if !l.fresh(i) {
				continue
			}
			it := &l.items[i]
			part := together
			if estimated > it.Tokens {
				part = together * it.Tokens / estimated
			}
			together, estimated = together-part, estimated-it.Tokens
			it.Tokens, it.Counted = part, true
		}
	}
}
