package recording

import (
	"cmp"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
)

// tape puts a conversation together from the exchanges of a cassette. A request holds the conversation so far; its
// reply is pending until the next request tells what became of it.
type tape struct {
	*builder
	called  bool           // the agent's model was asked at all
	asked   []chat.Message // of the last request
	pending *event         // the reply to it
	came    []chat.ToolResult
	ran     []ran
}

// ran is a call that a tool answered.
type ran struct {
	call   chat.ToolCall
	result chat.ToolResult
}

// exchange reads an exchange of whatever kind.
func (t *tape) exchange(v value) {
	before := t.problems.Errors()
	defer func() { t.broken = t.broken || t.problems.Errors() > before }()
	o, ok := t.known(v, "an exchange", "kind", "at", "request", "reply", "error", "latency_ms")
	if !ok {
		return
	}
	kinds := []string{"model", "judge", "embedding", "tool", "http", "program", "agent"}
	kind := o.get("kind")
	word := t.lines(kind, "kind")
	if !slices.Contains(kinds, word) {
		t.errorf(kind.or(v), "unknown-value", "the kind of an exchange cannot be %q", cutText(word, 40)).
			Hint = orKnown(diag.DidYouMean(word, kinds), kinds)
		return
	}
	at, request := t.lines(o.get("at"), "at"), o.get("request")
	t.took(o.get("latencyms"))
	switch {
	case request.kind() != '{':
		t.errorf(request.or(v), "missing-field", "an exchange must have a request, found %s", describe(request))
	case o.get("reply").kind() != '{' && o.get("error").kind() != '{':
		t.errorf(v, "missing-field", "an exchange must have a reply or an error")
	case t.broken || t.problems.Errors() > before: // what follows would only be wrong for the same reason
	case word == "model":
		t.model(o)
	case word == "tool" && strings.Contains(at, ", call "): // and not a check that calls a tool
		t.tool(o)
	}
}

// model reads a call of the agent's model.
func (t *tape) model(o object) {
	t.called = true
	request, ok := t.known(o.get("request"), "the request", "model", "as_before", "messages", "tools", "tool_choice",
		"temperature", "top_p", "max_tokens", "seed", "stream", "json_schema", "extra",
		"schema_name", "json", "stop", "reasoning_effort", "parallel_tool_calls")
	if !ok {
		return
	}
	t.session.Model = cmp.Or(t.session.Model, t.lines(request.get("model"), "model"))
	if !t.ask(request) {
		return
	}
	t.pending, t.session.Error = nil, ""
	reply, closed := t.reply(o)
	failure, broke := t.failure(o.get("error"))
	switch {
	case broke && !closed: // a stream that a guardrail closed is no failure
		t.session.Error = cmp.Or(failure, "the call of the model failed")
		if reply != nil {
			t.notef("an incomplete reply is left out")
		}
	case reply == nil && t.problems.Errors() == t.before:
		t.errorf(o.value, "missing-field", "an exchange must have a reply or an error")
	default:
		t.pending = reply
	}
}

// reply reads what the model answered; nil: nothing. closed says that a guardrail ended the stream.
func (t *tape) reply(o object) (_ *event, closed bool) {
	v := o.get("reply")
	if v.missing() {
		return nil, false
	}
	r, ok := t.known(v, "the reply", "content", "parts", "tool_calls", "tool_results", "finish_reason", "closed", "chunks",
		"model", "usage", "cost_usd", "retries", "cached", "notice", "source", "opaque")
	if !ok {
		return nil, false
	}
	e := &event{Message: Message{Offset: -1, Pos: t.pos(v)}}
	e.Role = chat.Assistant
	e.Content, e.Parts = t.lines(r.get("content"), "content"), t.tapeParts(r.get("parts"))
	e.ToolCalls, e.Opaque = t.tapeCalls(r.get("toolcalls")), t.opaque(r.get("opaque"))
	e.FinishReason, e.Cached = t.lines(r.get("finishreason"), "finish_reason"), t.truth(r.get("cached"), "cached")
	if usage := r.get("usage"); !usage.missing() {
		t.known(usage, "usage", "input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens",
			"reasoning_tokens", "estimated")
		t.cost(&e.Message.Message, usage)
	}
	e.CostUSD = t.amount(r.get("costusd"), "cost_usd")
	e.LatencyMS = t.took(o.get("latencyms"))
	t.came, t.ran = nil, nil
	for item := range t.list(r.get("toolresults"), "tool_results") {
		t.came = append(t.came, t.tapeResult(item))
	}
	t.session.Model = cmp.Or(t.session.Model, t.lines(r.get("model"), "model"))
	e.Streamed = t.truth(o.get("request").get("stream"), "stream")
	return e, t.truth(r.get("closed"), "closed")
}

// failure reads an error in the place of a reply.
func (t *tape) failure(v value) (text string, broke bool) {
	if v.missing() {
		return "", false
	}
	o, ok := t.known(v, "the error", "text", "kind", "message", "provider", "status", "retry_after_ms", "attempts",
		"final", "no_judge", "ended", "usage", "cost_usd")
	if !ok {
		return "", true
	}
	return t.lines(o.get("text"), "text"), true
}

// tool reads a call of a tool by the agent.
func (t *tape) tool(o object) {
	request, ok := t.known(o.get("request"), "the request", "name", "args", "bad_args", "definition")
	if !ok {
		return
	}
	r := ran{call: t.tapeCall(request)}
	if reply := o.get("reply"); !reply.missing() {
		r.result = t.tapeResult(reply)
	}
	failure, broke := t.failure(o.get("error"))
	if broke && t.truth(o.get("error").get("ended"), "ended") { // the time was over; nobody saw a result
		t.session.Error = failure
		return
	}
	if broke {
		r.result = chat.ToolResult{Content: failure, Error: failure, ErrorType: chat.ErrorExecution}
	}
	t.ran = append(t.ran, r)
}
