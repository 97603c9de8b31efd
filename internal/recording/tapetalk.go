package recording

import (
	"reflect"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
)

// ask goes on with the conversation to where a request has it.
func (t *tape) ask(request object) bool {
	taken := t.count(request.get("asbefore"), "as_before")
	if taken > len(t.asked) {
		t.errorf(request.get("asbefore"), "out-of-range",
			"as_before is %d, and the model request before this one has %d messages", taken, len(t.asked))
		return false
	}
	var more []event
	for item := range t.list(request.get("messages"), "messages") {
		e, ok := t.tapeMessage(item)
		if !ok {
			return false
		}
		if taken == len(t.asked) {
			more = append(more, e)
			continue
		}
		if !t.repeats(&e, &t.asked[taken]) {
			return false
		}
		taken++
	}
	if taken < len(t.asked) {
		t.errorf(request.value, "other-conversation", "this request has %s; it goes on from the one before it, which had %d",
			plural.Count(taken, "message"), len(t.asked)).Hint = "was the cassette edited? Record the trial again"
		return false
	}
	return t.goOn(request, more)
}

// repeats holds a message against the one that stood there in the request before.
func (t *tape) repeats(e *event, before *chat.Message) bool {
	if reflect.DeepEqual(&e.Message.Message, before) {
		return true
	}
	if e.Role == chat.System && before.Role == chat.System {
		t.notef("the system prompt changed during the conversation; the first one is kept")
		*before = e.Message.Message
		return true
	}
	t.problems.Errorf(e.Pos, 1, "other-conversation", "this message differs in the previous model request").
		Hint = "was the cassette edited? Record the trial again"
	return false
}

// goOn adds what a request has more than the one before it: first what became of the reply to that.
func (t *tape) goOn(request object, more []event) bool {
	for i := range more {
		t.asked = append(t.asked, more[i].Message.Message)
	}
	reply := t.pending
	switch {
	case reply == nil:
	case len(more) == 0: // a model that has answered is not asked the same again
		t.errorf(request.value, "other-conversation",
			"this request has no more messages than the previous one, which was answered").
			Hint = "were its messages lost? Record the trial again"
		return false
	case more[0].Role != chat.Assistant:
		t.errorf(request.value, "other-conversation", "this request does not hold the reply to the one before it").
			Hint = "was the cassette edited? Record the trial again"
		return false
	default:
		t.became(reply, &more[0])
		t.add(*reply)
		more = more[1:]
	}
	for i := range more {
		if r := more[i].ToolResult; r != nil {
			t.complete(r)
		}
		t.add(more[i])
	}
	return true
}

// became makes a reply what the user saw of it, where a guardrail changed it.
func (t *tape) became(reply, seen *event) {
	if reply.Content == seen.Content && reflect.DeepEqual(reply.ToolCalls, seen.ToolCalls) &&
		len(reply.Parts) == len(seen.Parts) {
		return
	}
	reply.Original = &chat.Original{
		Content: reply.Content, Parts: reply.Parts, ToolCalls: reply.ToolCalls, FinishReason: reply.FinishReason,
	}
	reply.Content, reply.Parts, reply.ToolCalls = seen.Content, seen.Parts, seen.ToolCalls
	t.notef("a reply differs from the message with which the conversation continued, as after a guardrail; " +
		"the latter counts")
}

// complete gives a result in a request what only the exchange with the tool holds.
func (t *tape) complete(r *chat.ToolResult) {
	at := slices.IndexFunc(t.ran, func(ran ran) bool {
		return ran.call.Name == r.Name && ran.result.Content == r.Content && ran.result.Error == r.Error &&
			len(ran.result.Parts) == len(r.Parts)
	})
	if at < 0 {
		return
	}
	r.LatencyMS, r.Parts = t.ran[at].result.LatencyMS, t.ran[at].result.Parts
	t.ran = slices.Delete(t.ran, at, at+1)
}

// end adds the last reply, and what came of its calls, to which no request went on.
func (t *tape) end() {
	if t.pending == nil {
		return
	}
	t.add(*t.pending)
	for _, call := range t.pending.ToolCalls {
		r, ok := t.resultOf(call)
		if !ok {
			continue
		}
		r.ID, r.Name = call.ID, call.Name
		e := event{Message: Message{Offset: -1, Pos: t.pending.Pos}}
		e.Role, e.Content, e.ToolResult = chat.ToolRole, r.Text(), &r
		t.add(e)
	}
}

// resultOf is what came of a call: along with it, or from the tool.
func (t *tape) resultOf(call chat.ToolCall) (chat.ToolResult, bool) {
	for _, r := range t.came {
		if r.ID == call.ID {
			return r, true
		}
	}
	at := slices.IndexFunc(t.ran, func(r ran) bool {
		return r.call.Name == call.Name && r.call.BadArgs == call.BadArgs && reflect.DeepEqual(r.call.Args, call.Args)
	})
	if at < 0 {
		return chat.ToolResult{}, false
	}
	r := t.ran[at].result
	t.ran = slices.Delete(t.ran, at, at+1)
	return r, true
}
