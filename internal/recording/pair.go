package recording

import (
	"fmt"
	"reflect"

	"github.com/arena-evals/arena/internal/chat"
)

// openCall is a call that a result may belong to.
type openCall struct {
	call   *chat.ToolCall
	event  int
	result *chat.ToolResult // nil: none yet
}

// pair joins every result of a tool to the call before it. A result without a call is refused: a conversation in which
// tools answer what nobody asked is not the one that took place.
func (b *builder) pair() {
	var calls []openCall
	dropped := map[int]bool{}
	for i := range b.events {
		e := &b.events[i]
		for j := range e.ToolCalls {
			calls = append(calls, openCall{call: &e.ToolCalls[j], event: i})
		}
		if e.ToolResult != nil {
			dropped[i] = b.answer(calls, e)
		}
	}
	b.unanswered(calls)
	kept := b.events[:0]
	for i, e := range b.events {
		if !dropped[i] {
			kept = append(kept, e)
		}
	}
	b.events = kept
}

// answer finds the call of a result. copied says that the result is there twice and that this one can go.
func (b *builder) answer(calls []openCall, e *event) (copied bool) {
	r := e.ToolResult
	c := find(calls, r)
	if c == nil {
		if old := answered(calls, r); old != nil {
			if sameResult(old.result, r) {
				b.notef("the result of the call %q is there twice; the copy is left out", r.ID)
				return true
			}
			b.problems.Errorf(e.Pos, 1, "duplicate-result", "the call %q already has another result", cutText(r.ID, 40))
			return false
		}
		if !b.broken { // else the call may be in a message that could not be read
			b.orphan(e)
		}
		return false
	}
	c.result = r
	switch {
	case r.ID == "" && c.call.ID == "":
		c.call.ID = fmt.Sprintf("call_%d", len(calls))
		r.ID = c.call.ID
	case r.ID == "":
		r.ID = c.call.ID
	case c.call.ID == "":
		c.call.ID = r.ID
	}
	if r.Name != "" && r.Name != c.call.Name {
		b.notef("the result of the call %q names the tool %q; the call names %q", r.ID, r.Name, c.call.Name)
	}
	r.Name = c.call.Name
	return false
}

// find returns the call without a result that a result belongs to: the one with its id; without ids the first of its
// name, or without names the first. nil: there is none.
func find(calls []openCall, r *chat.ToolResult) *openCall {
	var byName, first *openCall
	for i := range calls {
		c := &calls[i]
		switch {
		case c.result != nil:
		case r.ID != "" && c.call.ID == r.ID:
			return c
		case r.ID != "" && c.call.ID != "":
		case r.Name != "" && c.call.Name == r.Name && byName == nil:
			byName = c
		case r.Name == "" && first == nil:
			first = c
		}
	}
	if byName != nil {
		return byName
	}
	return first
}

// answered returns the last call with the id of a result.
func answered(calls []openCall, r *chat.ToolResult) *openCall {
	for i := len(calls) - 1; i >= 0; i-- {
		if r.ID != "" && calls[i].call.ID == r.ID {
			return &calls[i]
		}
	}
	return nil
}

func sameResult(x, y *chat.ToolResult) bool {
	return x.Text() == y.Text() && x.Error == y.Error && reflect.DeepEqual(x.Parts, y.Parts)
}

func (b *builder) orphan(e *event) {
	r := e.ToolResult
	what := "a tool result without an id"
	if r.ID != "" {
		what = fmt.Sprintf("the tool result %q", cutText(r.ID, 40))
	}
	b.problems.Errorf(e.Pos, 1, "tool-result-without-call", "%s belongs to no call before it", what).
		Hint = "the recording lacks the message with the call; record the conversation again"
}

// unanswered notes calls that never got a result.
func (b *builder) unanswered(calls []openCall) {
	n, name := 0, ""
	for i := range calls {
		if calls[i].result == nil {
			n++
			name = calls[i].call.Name
		}
	}
	switch n {
	case 0:
	case 1:
		b.notef("a call of %s has no result", name)
	default:
		b.notef("%d tool calls have no result", n)
	}
}

// plural counts things.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
