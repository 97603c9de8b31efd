package recording

import (
	"reflect"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
)

// addRequest continues the conversation with a request.
func (t *cassetteReader) addRequest(request object) bool {
	taken := t.count(request.get("asbefore"), "as_before")
	if taken > len(t.lastRequest) {
		t.errorf(request.get("asbefore"), "out-of-range",
			"as_before is %d, and the model request before this one has %d messages", taken, len(t.lastRequest))
		return false
	}
	var more []event
	for item := range t.list(request.get("messages"), "messages") {
		e, ok := t.cassetteMessage(item)
		if !ok {
			return false
		}
		if taken == len(t.lastRequest) {
			more = append(more, e)
			continue
		}
		if !t.sameMessage(&e, &t.lastRequest[taken]) {
			return false
		}
		taken++
	}
	if taken < len(t.lastRequest) {
		t.errorf(request.value, "other-conversation", "this request has %s; it goes on from the one before it, which had %d",
			plural.Count(taken, "message"), len(t.lastRequest)).Hint = "was the cassette edited? Record the trial again"
		return false
	}
	return t.addMessages(request, more)
}

// sameMessage compares a message with that of the previous request.
func (t *cassetteReader) sameMessage(e *event, before *chat.Message) bool {
	if reflect.DeepEqual(&e.Message.Message, before) {
		return true
	}
	if e.Role == chat.System && before.Role == chat.System {
		t.notef("the system prompt changed during the conversation; the first one is kept")
		*before = e.Message.Message
		return true
	}
	t.problems.Errorf(e.Pos, 1, "other-conversation", "this message differs in the previous model request").
		Hint = "with a context_policy, requests do not hold the whole conversation: judge the results of the run. Without " +
		"one: was the cassette edited? Record the trial again"
	return false
}

// addMessages adds the pending reply, and the other new messages of a request.
func (t *cassetteReader) addMessages(request object, more []event) bool {
	for i := range more {
		t.lastRequest = append(t.lastRequest, more[i].Message.Message)
	}
	reply := t.pending
	switch {
	case reply == nil:
	case len(more) == 0: // after a reply the same request is not sent again
		t.errorf(request.value, "other-conversation",
			"this request has no more messages than the previous one, which was answered").
			Hint = "were its messages lost? Record the trial again"
		return false
	case more[0].Role != chat.Assistant:
		t.errorf(request.value, "other-conversation", "this request does not hold the reply to the one before it").
			Hint = "was the cassette edited? Record the trial again"
		return false
	default:
		t.applyGuardrails(reply, &more[0])
		t.add(*reply)
		more = more[1:]
	}
	for i := range more {
		if r := more[i].ToolResult; r != nil {
			t.addToolDetails(r)
		}
		t.add(more[i])
	}
	return true
}

// applyGuardrails replaces the content of a reply by that in the next request, when a guardrail changed it.
func (t *cassetteReader) applyGuardrails(reply, seen *event) {
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

// addToolDetails adds to a result in a request the details that only the exchange with the tool has.
func (t *cassetteReader) addToolDetails(r *chat.ToolResult) {
	at := slices.IndexFunc(t.toolRuns, func(ran toolRun) bool {
		return ran.call.Name == r.Name && ran.result.Content == r.Content && ran.result.Error == r.Error &&
			len(ran.result.Parts) == len(r.Parts)
	})
	if at < 0 {
		return
	}
	r.LatencyMS, r.Parts = t.toolRuns[at].result.LatencyMS, t.toolRuns[at].result.Parts
	t.toolRuns = slices.Delete(t.toolRuns, at, at+1)
}

// addLastReply adds the last reply and its tool results, which are in no request.
func (t *cassetteReader) addLastReply() {
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

// resultOf is the result of a call: with the reply, or from the tool.
func (t *cassetteReader) resultOf(call chat.ToolCall) (chat.ToolResult, bool) {
	for _, r := range t.replyResults {
		if r.ID == call.ID {
			return r, true
		}
	}
	at := slices.IndexFunc(t.toolRuns, func(r toolRun) bool {
		return r.call.Name == call.Name && r.call.BadArgs == call.BadArgs && reflect.DeepEqual(r.call.Args, call.Args)
	})
	if at < 0 {
		return chat.ToolResult{}, false
	}
	r := t.toolRuns[at].result
	t.toolRuns = slices.Delete(t.toolRuns, at, at+1)
	return r, true
}
