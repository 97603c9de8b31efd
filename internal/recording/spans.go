package recording

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/spans"
)

// Spans as objects with plain attributes, in a list or one on each line, as OpenTelemetry's console exporter, Phoenix
// and kensa write them.

func isSpans(h *head) bool {
	return h.has("attributes") && (h.has("traceid") || h.keys["context"].get("traceid").kind() != 0) || isStoredSpan(h.has)
}

// isStoredSpan reports whether an object is a span as kensa stores it.
func isStoredSpan(has func(keys ...string) bool) bool {
	return has("traceid", "spanid", "kind") && (has("input") || has("output") || has("tools"))
}

func scanSpans(s *scan) {
	t := &traceScan{scan: s, hasMessage: map[string]bool{}}
	s.records(func(doc value) value { return doc.get("data").or(doc.get("spans")) }, func(v value, p span) {
		trace := v.get("traceid").or(v.get("context").get("traceid"))
		if trace.kind() != '"' {
			s.otherRecord(p, "spans with a trace_id")
			return
		}
		fields := plainSpanFields()
		if v.get("attributes").missing() {
			fields = storedSpanFields()
		}
		s.checkFields(v, p, "a span", fields)
		t.span(v, p)
	})
	t.join()
	t.nameConvention()
}

func readSpans(b *builder, pieces iter.Seq[piece]) {
	var spans []aiSpan
	for p := range pieces {
		o, ok := b.object(p.value, "a span")
		if !ok {
			continue
		}
		s := aiSpan{pos: b.pos(p.value)}
		s.start, s.end = b.instant(o.get("starttime")), b.instant(o.get("endtime"))
		if o.get("attributes").missing() {
			b.storedSpan(&s, o)
		} else {
			b.plainSpan(&s, o)
		}
		spans = append(spans, s)
	}
	b.conversation(spans)
}

// instant reads a time. A number is in nanoseconds or a larger unit, which its size shows.
func (b *builder) instant(v value) time.Time { return b.time(v, "the time of a span") }

var plainSpanFields = newLazyFields(`name trace_id span_id parent_span_id parent_id id context kind span_kind start_time
	end_time status status_code status_message status_description attributes events links resource latency_ms annotations
	instrumentation_scope dropped_attributes_count dropped_events_count cumulative_token_count_total
	cumulative_token_count_prompt cumulative_token_count_completion cumulative_error_count scope`)

// plainSpan reads a span whose attributes are the members of an object.
func (b *builder) plainSpan(s *aiSpan, o object) {
	attrs := b.attributes(o.get("attributes"))
	if kind := o.get("spankind"); attrs.text(inferenceKind) == "" && !kind.missing() {
		attrs[inferenceKind] = kind
	}
	s.id = b.text(o.get("spanid").or(o.get("context").get("spanid")), "span_id")
	s.parent = b.text(o.get("parentspanid", "parentid"), "parent_id")
	s.failure = spanFailure(o, attrs)
	b.fillSpan(s, o, attrs)
}

// spanFailure is the error of a span, or "".
func spanFailure(o object, attrs attributes) string {
	status := o.get("status")
	code := status.get("statuscode").or(status.get("code")).or(o.get("statuscode")).or(status)
	word, _ := code.scalar()
	if word != "2" && !strings.EqualFold(word, "ERROR") && word != "STATUS_CODE_ERROR" {
		return ""
	}
	for _, v := range []value{
		status.get("description"), status.get("message"), o.get("statusmessage"), attrs["error.type"],
		attrs["exception.message"],
	} {
		if text, ok := v.str(); ok && text != "" {
			return text
		}
	}
	return "the span failed"
}

var storedSpanFields = newLazyFields(`trace_id span_id parent_span_id name kind start_time end_time status model
	provider input output tokens cost tools metadata`)

// storedSpan reads a span as kensa stores it.
func (b *builder) storedSpan(s *aiSpan, o object) {
	s.id, s.parent = b.text(o.get("spanid"), "span_id"), b.text(o.get("parentspanid"), "parent_span_id")
	s.operation = spans.InferenceOperation(b.text(o.get("kind"), "kind"))
	s.judge = s.operation == "evaluator"
	s.model, s.provider = b.text(o.get("model"), "model"), b.text(o.get("provider"), "provider")
	s.failure = spanFailure(o, nil)
	if !s.asksModel() && s.operation != "execute_tool" && s.operation != "embeddings" {
		s.given = givenIn(o.get("output"))
	}
	if meta, ok := decodeObject(o.get("metadata")); ok {
		s.customAttributes = meta
	}
	switch s.operation {
	case "chat":
		b.storedCall(s, o)
	case "execute_tool":
		s.tool.Name = b.text(o.get("name"), "name")
		for item := range b.list(o.get("tools"), "tools") {
			s.tool.Name = b.text(item.get("name"), "the name of a tool")
			s.toolArgs, s.toolBadArgs = b.args(item.get("args"))
			if result := item.get("result"); !result.missing() {
				s.hasResult = true
				s.tool.Content = textOf(result)
			}
		}
		if output := o.get("output"); !s.hasResult && !output.missing() {
			s.hasResult = true
			s.tool.Content = textOf(onlyMember(output).or(output))
		}
		s.tool.Error, s.tool.LatencyMS = s.failure, s.latency()
	}
}

func (b *builder) storedCall(s *aiSpan, o object) {
	s.input = b.logged(o.get("input"), chat.User, "the input of a span")
	s.output = oneReply(b.logged(o.get("output"), chat.Assistant, "the output of a span"))
	var calls []chat.ToolCall
	for item := range b.list(o.get("tools"), "tools") {
		call := chat.ToolCall{Name: b.text(item.get("name"), "the name of a tool")}
		if call.Name == "" {
			b.errorf(item, "missing-field", "a tool call has no name")
		}
		call.Args, call.BadArgs = b.args(item.get("args"))
		calls = append(calls, call)
	}
	if len(s.output) == 0 && len(calls) > 0 {
		s.output = []event{{Message: Message{Message: chat.Message{Role: chat.Assistant}, Offset: -1, Pos: s.pos}}}
	}
	s.silent = len(s.input)+len(s.output) == 0 && !b.badMessage
	for i := range s.input {
		s.input[i].At = s.start
	}
	for i := range s.output {
		s.output[i].At = s.end
	}
	n := len(s.output)
	if n == 0 {
		return
	}
	m := &s.output[n-1].Message
	if len(m.ToolCalls) == 0 {
		m.ToolCalls = calls
	}
	m.LatencyMS = s.latency()
	if tokens := o.get("tokens"); tokens.kind() == '{' {
		m.Usage = &chat.Usage{
			InputTokens:  b.tokens(tokens.get("prompt"), "prompt"),
			OutputTokens: b.tokens(tokens.get("completion"), "completion"),
			CachedTokens: b.tokens(tokens.get("cacheread"), "cache_read"),
		}
		checkTotal(&m.Message, !tokens.get("prompt").missing(), !tokens.get("completion").missing(), tokens.get("total"))
	}
	if cost := b.amount(o.get("cost").get("total"), "the total cost"); cost != nil {
		m.CostUSD = cost
	}
}

// textOf returns a text unchanged, and any other value as JSON.
func textOf(v value) string {
	if text, ok := v.str(); ok {
		return text
	}
	var out bytes.Buffer
	if json.Compact(&out, v.text) != nil {
		return string(v.text)
	}
	return out.String()
}

// plainAttributes reads the members of an object as attributes. Members of nested objects get the names of both.
func (b *builder) plainAttributes(attrs attributes, prefix string, v value) {
	for key, member := range v.members {
		name := prefix + string(plainKey(key))
		if member.kind() == '{' && !spans.IsWhole(name) {
			b.plainAttributes(attrs, name+".", member)
			continue
		}
		if holdsMessages(name) && member.missing() {
			b.errorf(member, "missing-content", "the attribute %s has no value", name)
		}
		if _, duplicate := attrs[name]; duplicate {
			b.errorf(member, "duplicate-key", "the attribute %q is there twice", cutText(name, 60))
			continue
		}
		b.checkDuplicates(name, member)
		attrs[name] = member
	}
}
