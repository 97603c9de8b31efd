// Package window decides which messages of a conversation are sent to a model when not all of them fit. It knows no
// clock and does no IO; it sees sizes, not texts.
//
// Whatever the strategy: messages keep their order, the results of tool calls stay with their calls, the newest message
// of the user is sent with everything behind it, and the first message that is sent is one of the user's.
package window

import (
	"cmp"
	"slices"
)

// Kind is the role of a message for the window.
type Kind uint8

// The kinds of messages.
const (
	Other  Kind = iota // of the assistant
	User               // of the user
	Result             // of a tool: it goes with the messages before it
	System             // is no part of the conversation, and never counts
)

// Item is a message of a conversation: how large it is, and what.
type Item struct {
	Tokens  int
	Kind    Kind
	Counted bool // the provider counted the tokens; else they are an estimate
}

// Span is messages that stand together, from an index to before another one.
type Span struct{ From, To int }

// Size is the tokens of a conversation.
func Size(items []Item) (tokens int) {
	for i := range items {
		if items[i].Kind != System {
			tokens += items[i].Tokens
		}
	}
	return tokens
}

// Newest returns the start of the newest user message, and the tokens from there on, which are always sent. Without a
// user message that is the whole conversation.
func Newest(items []Item) (from, tokens int) {
	for i, item := range slices.Backward(items) {
		if item.Kind == System {
			continue
		}
		tokens += item.Tokens
		if item.Kind == User {
			return i, tokens
		}
	}
	return 0, tokens
}

// Oldest drops the oldest messages. It returns the start of the longest end of the conversation that fits into room and
// starts with a user message. The part that is always sent may exceed room, which the caller has to refuse.
func Oldest(items []Item, room int) (from int) {
	from, tokens := Newest(items)
	for i := from - 1; i >= 0; i-- {
		if items[i].Kind == System {
			continue
		}
		if tokens += items[i].Tokens; tokens > room {
			return from
		}
		if items[i].Kind == User {
			from = i
		}
	}
	return from
}

// unit is messages that are sent together or not at all.
type unit struct {
	Span
	tokens  int
	user    bool
	alike   float64
	protect bool
}

// Relevant drops the messages with the least similarity to a query. alike has the similarity of each message, at most
// 1. The last few messages come first, newest first; then the others, most similar first, as long as each fits into
// room and has at least the similarity least (0: any). The part that is always sent may exceed room.
func Relevant(items []Item, alike []float64, room, last int, least float64) []Span {
	newest, tokens := Newest(items)
	units := unitsOf(items[:newest], alike, protectedFrom(items, last))
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &units[a], &units[b]
		switch {
		case x.protect != y.protect:
			if x.protect {
				return -1
			}
			return 1
		case x.protect:
			return b - a
		}
		return cmp.Or(cmp.Compare(y.alike, x.alike), b-a)
	})
	sent := make([]bool, len(units))
	full := false // of the protected ones, those before one that does not fit are left out
	for _, k := range order {
		u := &units[k]
		switch fits := tokens+u.tokens <= room; {
		case u.protect && (full || !fits):
			full = true
		case !fits, !u.protect && least > 0 && !(u.alike >= least):
		default:
			sent[k] = true
			tokens += u.tokens
		}
	}
	return append(spansOf(units, sent), Span{newest, len(items)})
}

// protectedFrom is the start of the last few messages.
func protectedFrom(items []Item, last int) int {
	for i, item := range slices.Backward(items) {
		if item.Kind == System {
			continue
		}
		if last--; last == 0 {
			return i
		}
	}
	return 0
}

// unitsOf joins results to what they belong to.
func unitsOf(items []Item, alike []float64, protected int) (units []unit) {
	for i := range items {
		switch it := &items[i]; {
		case it.Kind == System:
		case it.Kind == Result && len(units) > 0:
			u := &units[len(units)-1]
			u.To, u.tokens, u.alike = i+1, u.tokens+it.Tokens, max(u.alike, alike[i])
			u.protect = u.protect || i >= protected
		default:
			units = append(units, unit{Span{i, i + 1}, it.Tokens, it.Kind == User, alike[i], i >= protected})
		}
	}
	return units
}

// spansOf are the units that are sent, from the first message of the user on.
func spansOf(units []unit, sent []bool) (spans []Span) {
	for k := range units {
		u := &units[k]
		if !sent[k] || len(spans) == 0 && !u.user {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1].To == u.From {
			spans[n-1].To = u.To
			continue
		}
		spans = append(spans, u.Span)
	}
	return spans
}

// Left describes what of a conversation is not sent.
type Left struct {
	Messages int
	Tokens   int
	Counted  bool // all of the tokens are the provider's count
	Since    int  // messages of the user before the one with which the end begins of which nothing is left out
}

// Without returns what the spans leave out.
func Without(items []Item, sent []Span) Left {
	left := Left{Counted: true}
	for i, k := 0, 0; i < len(items); i++ {
		for k < len(sent) && i >= sent[k].To {
			k++
		}
		it := &items[i]
		switch inside := k < len(sent) && i >= sent[k].From; {
		case it.Kind == System:
			continue
		case !inside:
			left.Messages++
			left.Tokens += it.Tokens
			left.Counted = left.Counted && it.Counted
		}
	}
	end := 0
	if n := len(sent); n > 0 {
		end = sent[n-1].From
	}
	for i := range items[:end] {
		if items[i].Kind == User {
			left.Since++
		}
	}
	return left
}
