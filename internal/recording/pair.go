package recording

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
)

// pairing pairs calls with results.
type pairing struct {
	open     []*openCall            // without a result, in order
	byID     map[string][]*openCall // the open calls by id
	answered map[string]*openCall   // the last answered call of each id
	calls    int
}

type openCall struct {
	call   *chat.ToolCall
	result *chat.ToolResult // nil: none yet
}

// pair joins every tool result to the call before it. A result without a call is refused, because the conversation is
// not complete.
func (b *builder) pair() {
	p := &pairing{byID: map[string][]*openCall{}, answered: map[string]*openCall{}}
	kept := make([]event, 0, len(b.events))
	for i := range b.events {
		e := &b.events[i]
		for j := range e.ToolCalls {
			p.add(&e.ToolCalls[j])
		}
		if e.ToolResult == nil || !b.answer(p, e) {
			kept = append(kept, *e)
		}
	}
	b.noteUnanswered(p)
	b.events = kept
}

func (p *pairing) add(call *chat.ToolCall) {
	c := &openCall{call: call}
	p.calls++
	p.open = append(p.open, c)
	p.byID[call.ID] = append(p.byID[call.ID], c)
}

// answer finds the call of a result. copied is true when the result is a copy, to be dropped.
func (b *builder) answer(p *pairing, e *event) (copied bool) {
	r := e.ToolResult
	c := p.find(r)
	if c == nil {
		old := p.answered[r.ID]
		switch {
		case old != nil && r.ID != "" && sameResult(old.result, r):
			b.notef("the result of the call %q is repeated; the copy is left out", r.ID)
			return true
		case old != nil && r.ID != "":
			b.problems.Errorf(e.Pos, 1, "duplicate-result", "the call %q already has another result", cutText(r.ID, 40))
		case !b.badMessage: // otherwise the call may be in a bad message
			b.reportOrphan(e)
		}
		return false
	}
	p.close(c)
	r.ID = cmp.Or(r.ID, c.call.ID, fmt.Sprintf("call_%d", p.calls))
	c.call.ID, c.result = r.ID, r
	p.answered[r.ID] = c
	if r.Name != "" && r.Name != c.call.Name {
		b.notef("the result of the call %q names the tool %q; the call names %q", r.ID, r.Name, c.call.Name)
	}
	r.Name = c.call.Name
	return false
}

// find returns the open call of a result: the first with its id; without an id on one side the first with its name, or
// the first without a name; nil when there is none.
func (p *pairing) find(r *chat.ToolResult) *openCall {
	candidates := p.open
	if r.ID != "" {
		if same := p.byID[r.ID]; len(same) > 0 {
			return same[0]
		}
		candidates = p.byID[""]
	}
	for _, c := range candidates {
		if r.Name == "" || r.Name == c.call.Name {
			return c
		}
	}
	return nil
}

// close removes a call from the open ones.
func (p *pairing) close(c *openCall) {
	other := func(o *openCall) bool { return o == c }
	p.open = slices.DeleteFunc(p.open, other)
	p.byID[c.call.ID] = slices.DeleteFunc(p.byID[c.call.ID], other)
}

func sameResult(x, y *chat.ToolResult) bool {
	return x.Text() == y.Text() && x.Error == y.Error && reflect.DeepEqual(x.Parts, y.Parts)
}

func (b *builder) reportOrphan(e *event) {
	r := e.ToolResult
	what := "a tool result without an id"
	if r.ID != "" {
		what = fmt.Sprintf("the tool result %q", cutText(r.ID, 40))
	}
	b.problems.Errorf(e.Pos, 1, "tool-result-without-call", "%s belongs to no call before it", what).
		Hint = "the recording lacks the message with the call; record the conversation again"
}

// noteUnanswered notes calls without results.
func (b *builder) noteUnanswered(p *pairing) {
	switch len(p.open) {
	case 0:
	case 1:
		b.notef("a call of %s has no result", p.open[0].call.Name)
	default:
		b.notef("%d tool calls have no result", len(p.open))
	}
}
