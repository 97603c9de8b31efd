package window

import "github.com/arena-evals/arena/internal/chat"

// Ledger keeps the sizes of the messages of a transcript: as the provider counted them, where its counts tell, and else
// as they are estimated. The zero value is that of an empty transcript.
//
// A provider counts the whole of a call. The first call of a conversation tells what its messages take together, and
// the difference between two calls what came in between; a reply is counted by itself.
type Ledger struct {
	items []Item
	known int // of the items the first ones, which no later count changes

	sent    []Span // of the last call; nil: its reply was counted, or there was none
	added   int    // tokens of what stood for messages that it was not sent
	beside  Beside // what was sent with it
	outside Beside // for which base is
	base    int    // tokens of what goes with each call besides the messages; 0: not known
}

// Beside is what a call has besides the messages of the conversation. Where it is the same, it takes the same.
type Beside struct {
	System int // index of the system prompt in the transcript; NoSystem: there is none
	Tools  int // how many are offered
}

// NoSystem is the system prompt of calls without one.
const NoSystem = -1

// most is the largest count of a call that is taken apart. A provider that counts more does not count.
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

// Sent notes what the next call of the model is sent, so that the count that comes with its reply can be taken apart.
// added is the tokens of what stands for messages that it is not sent.
func (l *Ledger) Sent(spans []Span, added int, beside Beside) {
	l.sent, l.added, l.beside = spans, added, beside
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
	system, rest := l.System(l.beside.System), u.InputTokens-old
	switch {
	case l.base > 0 && l.outside == l.beside:
		l.share(rest-l.base, fresh, at)
	case l.beside.Tools > 0: // whose part nobody tells
		l.base, l.outside = max(rest-fresh, 0), l.beside
	case rest > 0 && system+fresh > 0:
		if system = rest * system / (system + fresh); fresh == 0 {
			system = rest
		}
		if l.beside.System != NoSystem {
			l.items[l.beside.System].Tokens, l.items[l.beside.System].Counted = system, true
		}
		l.share(rest-system, fresh, at)
		l.base, l.outside = system, l.beside
	}
	l.known = at + 1
}

// fresh reports whether nobody has told the size of an item yet.
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
