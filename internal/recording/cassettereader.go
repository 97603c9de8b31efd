package recording

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// cassetteReader builds a conversation from the exchanges of a cassette. Each request has the conversation so far. Its
// reply is pending until the next request shows how the conversation continued.
type cassetteReader struct {
	*builder
	hasModelCall bool           // the cassette has a call of the agent's model
	lastRequest  []chat.Message // its messages
	pending      *event         // its reply
	replyResults []chat.ToolResult
	toolRuns     []toolRun
}

// toolRun is a call that a tool answered.
type toolRun struct {
	call   chat.ToolCall
	result chat.ToolResult
}

// exchange reads an exchange of any kind.
func (t *cassetteReader) exchange(v value) {
	before := t.problems.Errors()
	defer func() { t.badMessage = t.badMessage || t.problems.Errors() > before }()
	o, ok := t.strictObject(v, "an exchange", "kind", "at", "request", "reply", "error", "latency_ms")
	if !ok {
		return
	}
	kinds := []string{"model", "judge", "embedding", "tool", "tools", "media", "http", "program", "agent"}
	kind := o.get("kind")
	word := t.textOrLines(kind, "kind")
	if !slices.Contains(kinds, word) {
		t.errorf(kind.or(v), "unknown-value", "the kind of an exchange cannot be %q", cutText(word, 40)).
			Hint = orKnown(diag.DidYouMean(word, kinds), kinds)
		return
	}
	at, request := t.textOrLines(o.get("at"), "at"), o.get("request")
	t.latency(o.get("latencyms"))
	switch {
	case request.kind() != '{':
		t.errorf(request.or(v), "missing-field", "an exchange must have a request, found %s", describe(request))
	case o.get("reply").kind() != '{' && o.get("error").kind() != '{':
		t.errorf(v, "missing-field", "an exchange must have a reply or an error")
	case t.badMessage || t.problems.Errors() > before: // later problems would be consequences
	case (word == "model" || word == "tool") && strings.Contains(at, ", step "):
		t.hasModelCall = true
		t.errorf(v, "lost-steps", "the steps of a composition answered in this trial: a cassette replays them, and "+
			"does not tell what became of them").Hint = stepsHint
	case word == "model":
		t.model(o)
	case word == "tool" && strings.Contains(at, ", call "): // not a call by a check
		t.tool(o)
	}
}

// model reads a call of the agent's model.
func (t *cassetteReader) model(o object) {
	t.hasModelCall = true
	request, ok := t.strictObject(o.get("request"), "the request", "model", "as_before", "messages", "tools",
		"tool_choice", "temperature", "top_p", "max_tokens", "seed", "stream", "json_schema", "extra",
		"schema_name", "json", "stop", "reasoning_effort", "parallel_tool_calls")
	if !ok {
		return
	}
	t.session.Model = cmp.Or(t.session.Model, t.textOrLines(request.get("model"), "model"))
	if !t.addRequest(request) {
		return
	}
	t.pending, t.session.Error = nil, ""
	reply, closed := t.reply(o)
	failure, broke := t.failure(o.get("error"))
	switch {
	case broke && !closed: // a closed stream is not an error
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

// reply reads the reply of the model; nil: none. closed is true when a guardrail closed the stream.
func (t *cassetteReader) reply(o object) (_ *event, closed bool) {
	v := o.get("reply")
	if v.missing() {
		return nil, false
	}
	r, ok := t.strictObject(v, "the reply", "content", "parts", "tool_calls", "tool_results", "finish_reason", "closed",
		"chunks", "model", "usage", "cost_usd", "retries", "cached", "notice", "source", "opaque",
		"doubt", "untold", "refused", "model_calls", "trace")
	if !ok {
		return nil, false
	}
	e := &event{Message: Message{Offset: -1, Pos: t.pos(v)}}
	e.Role = chat.Assistant
	e.Content, e.Parts = t.textOrLines(r.get("content"), "content"), t.cassetteParts(r.get("parts"))
	e.ToolCalls, e.Opaque = t.cassetteCalls(r.get("toolcalls")), t.opaque(r.get("opaque"))
	e.FinishReason, e.Cached = t.textOrLines(r.get("finishreason"), "finish_reason"), t.truth(r.get("cached"), "cached")
	e.Unreported = t.unreported(r.get("untold"))
	t.cassetteTrace(e, r)
	if usage := r.get("usage"); !usage.missing() {
		t.strictObject(usage, "usage", "input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens",
			"reasoning_tokens", "estimated")
		t.cost(&e.Message.Message, usage)
	}
	e.CostUSD = t.amount(r.get("costusd"), "cost_usd")
	e.LatencyMS = t.latency(o.get("latencyms"))
	t.replyResults, t.toolRuns = nil, nil
	for item := range t.list(r.get("toolresults"), "tool_results") {
		t.replyResults = append(t.replyResults, t.cassetteResult(item))
	}
	t.session.Model = cmp.Or(t.session.Model, t.textOrLines(r.get("model"), "model"))
	e.Streamed = t.truth(o.get("request").get("stream"), "stream")
	return e, t.truth(r.get("closed"), "closed")
}

// cassetteTrace reads the trace of an agent that is a program.
func (t *cassetteReader) cassetteTrace(e *event, r object) {
	if v := r.get("modelcalls"); !v.missing() {
		e.ModelCalls, e.traced = new(t.count(v, "model_calls")), true
	}
	v := r.get("trace")
	if v.missing() {
		return
	}
	dec := json.NewDecoder(bytes.NewReader(v.text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e.Trace); err != nil {
		t.errorf(v, "wrong-type", "this is no trace: %s", jsonvalue.Mismatch(err))
	}
}

// failure reads an error.
func (t *cassetteReader) failure(v value) (text string, broke bool) {
	if v.missing() {
		return "", false
	}
	o, ok := t.strictObject(v, "the error", "text", "kind", "message", "provider", "status", "retry_after_ms", "attempts",
		"final", "no_judge", "ended", "usage", "cost_usd")
	if !ok {
		return "", true
	}
	return t.textOrLines(o.get("text"), "text"), true
}

// tool reads a tool call of the agent.
func (t *cassetteReader) tool(o object) {
	request, ok := t.strictObject(o.get("request"), "the request", "name", "args", "bad_args", "definition")
	if !ok {
		return
	}
	r := toolRun{call: t.cassetteCall(request)}
	if reply := o.get("reply"); !reply.missing() {
		r.result = t.cassetteResult(reply)
	}
	failure, broke := t.failure(o.get("error"))
	if broke && t.truth(o.get("error").get("ended"), "ended") { // the trial ended before the result
		t.session.Error = failure
		return
	}
	if broke {
		r.result = chat.ToolResult{Content: failure, Error: failure, ErrorType: chat.ErrorExecution}
	}
	t.toolRuns = append(t.toolRuns, r)
}
