package recording

import (
	"iter"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// Traces of Langfuse with their observations, as its API returns them and its pages export them, or observations alone.

func isLangfuse(h *head) bool {
	return h.has("observations") && (h.has("timestamp") || h.has("projectid") || h.has("htmlpath")) ||
		h.has("traceid", "type") && (h.has("parentobservationid") || h.has("modelparameters") || h.has("statusmessage")) ||
		isPageOf(h, "observations") || isPageOf(h, "traceid", "type", "starttime")
}

// isPageOf reports whether a document is a page of a list in "data" whose first element has some keys.
func isPageOf(h *head, keys ...string) bool {
	for item := range h.keys["data"].items {
		for _, key := range keys {
			if item.get(key).kind() == 0 {
				return false
			}
		}
		return true
	}
	return false
}

func scanLangfuse(s *scan) {
	t := &traceScan{
		scan: s, hasMessage: map[string]bool{}, silence: "there is no generation among the observations of any trace",
		silenceHint: "export all observations of each trace",
	}
	s.records(func(doc value) value { return doc.get("data").or(doc.get("traces")) }, func(v value, p span) {
		session, _ := v.get("sessionid").str()
		list := v.get("observations")
		if list.kind() == 0 {
			trace, ok := v.get("traceid").str()
			if !ok || v.get("type").kind() != '"' {
				s.otherRecord(p, "observations, or a traceId and a type")
				return
			}
			t.addSpan(trace, session, isGeneration(v), p)
			return
		}
		trace, ok := v.get("id").str()
		if !ok {
			s.errorf(s.pos(p), "missing-field", "a trace has no id")
			return
		}
		if t.refuseBareTrace(list, p) {
			t.addSpan(trace, session, true, p)
		}
	})
	t.join()
}

func isGeneration(v value) bool {
	kind, _ := v.get("type").str()
	return strings.EqualFold(kind, "GENERATION")
}

// refuseBareTrace refuses a trace that only names its observations, because it lacks their replies and tool calls.
func (t *traceScan) refuseBareTrace(list value, p span) bool {
	if list.kind() != '[' {
		t.errorf(t.pos(p), "wrong-type", "observations must be a list, found %s", describe(list))
		return false
	}
	for item := range list.items {
		if item.kind() != '{' {
			t.errorf(t.pos(p), "lost-message", "the trace names its observations and does not hold them").
				Hint = "export each trace with its observations: the list of traces has their ids only"
			return false
		}
	}
	return true
}

func readLangfuse(b *builder, pieces iter.Seq[piece]) {
	var spans []aiSpan
	for p := range pieces {
		o, ok := b.object(p.value, "a trace")
		if !ok {
			continue
		}
		list := o.get("observations")
		if list.missing() {
			spans = append(spans, b.observation(o))
			continue
		}
		spans = append(spans, b.langfuseTrace(o, list)...)
	}
	b.conversation(spans)
}

// langfuseTrace reads a trace with its observations. A trace without observations is read as a call.
func (b *builder) langfuseTrace(o object, list value) (spans []aiSpan) {
	if meta := o.get("metadata"); meta.kind() == '{' {
		b.keep(meta)
	}
	if tags := o.get("tags"); tags.kind() == '[' && b.session.Tags == nil {
		b.session.Tags = b.texts(tags, "tags")
	}
	b.langfuseScores(o.get("scores"))
	generations, traceID := 0, "trace "+b.text(o.get("id"), "id")
	for item := range list.items {
		inner, ok := b.object(item, "an observation")
		if !ok {
			return nil
		}
		if isGeneration(item) {
			generations++
		}
		one := b.observation(inner)
		if one.parent == "" {
			one.parent = traceID
		}
		spans = append(spans, one)
	}
	if generations > 0 {
		return append(spans, aiSpan{
			pos: b.pos(o.value), id: traceID, operation: "trace", given: givenIn(o.get("output")),
			start: b.instant(o.get("timestamp")),
		})
	}
	at := b.instant(o.get("timestamp"))
	s := aiSpan{pos: b.pos(o.value), id: b.text(o.get("id"), "id"), operation: "chat", start: at, end: at}
	b.loggedCall(&s, o.get("input"), o.get("output"))
	return append(spans, s)
}

// langfuseScores reads the scores of a trace.
func (b *builder) langfuseScores(list value) {
	for item := range list.items {
		o, ok := b.object(item, "a score")
		if !ok {
			return
		}
		name := b.text(o.get("name"), "name")
		e := Eval{ID: name, Type: name, Explanation: b.text(o.get("comment"), "comment")}
		if f, ok := o.get("value").number(); ok {
			e.Score = &f
		}
		b.session.Evals = append(b.session.Evals, e)
	}
}

// observation reads a model call, a tool run, or a span around them.
func (b *builder) observation(o object) aiSpan {
	s := aiSpan{
		pos: b.pos(o.value), id: b.text(o.get("id"), "id"),
		parent: b.text(o.get("parentobservationid"), "parentObservationId"),
		start:  b.instant(o.get("starttime")), end: b.instant(o.get("endtime")),
		model: b.text(o.get("model", "providedmodelname"), "model"),
	}
	if level, _ := o.get("level").str(); level == "ERROR" {
		if s.failure = b.text(o.get("statusmessage"), "statusMessage"); s.failure == "" {
			s.failure = "the call failed"
		}
	}
	kind := b.text(o.get("type"), "type")
	switch strings.ToUpper(kind) {
	case "GENERATION":
		s.operation = "chat"
		b.loggedCall(&s, o.get("input"), o.get("output"))
		b.langfuseMeasures(&s, o)
	case "TOOL":
		s.operation = "execute_tool"
		b.loggedTool(&s, b.text(o.get("name"), "name"), o.get("input"), o.get("output"))
	case "AGENT":
		s.operation, s.given = "invoke_agent", givenIn(o.get("output"))
	case "EMBEDDING":
		s.operation = "embeddings"
	case "SPAN", "EVENT", "CHAIN", "RETRIEVER", "GUARDRAIL", "EVALUATOR":
		s.operation, s.given = strings.ToLower(kind), givenIn(o.get("output"))
		s.judge = s.operation == "evaluator"
	default:
		b.errorf(o.get("type").or(o.value), "unknown-value", "unknown type of observation %q", cutText(kind, 40)).
			Hint = "known types: GENERATION, TOOL, SPAN, EVENT, AGENT, CHAIN, RETRIEVER, EMBEDDING, GUARDRAIL, EVALUATOR"
	}
	return s
}

// langfuseMeasures adds tokens and cost. The names of the counts say whether they are of the input.
func (b *builder) langfuseMeasures(s *aiSpan, o object) {
	if len(s.output) == 0 {
		return
	}
	m := &s.output[len(s.output)-1].Message
	details := o.get("usagedetails")
	if isEmpty(details) {
		details = o.get("usage")
	}
	if unit, named := details.get("unit").str(); !named || unit == "TOKENS" {
		b.langfuseUsage(&m.Message, details)
	}
	cost := o.get("calculatedtotalcost", "totalcost").or(o.get("costdetails").get("total"))
	if f := b.amountIn(cost, "the total cost"); f != nil && (*f > 0 || !isEmpty(o.get("costdetails"))) {
		m.CostUSD = f
	}
}

func (b *builder) langfuseUsage(m *chat.Message, details value) {
	u := &chat.Usage{}
	hasIn, hasOut := false, false
	for key, member := range details.members {
		name := foldKey(key)
		input := strings.Contains(name, "input") || strings.HasPrefix(name, "prompt")
		output := strings.Contains(name, "output") || strings.HasPrefix(name, "completion")
		if !input && !output || strings.Contains(name, "cost") || member.missing() {
			continue
		}
		n := b.tokens(member, string(key))
		hasIn, hasOut = hasIn || !output, hasOut || output
		switch {
		case output:
			u.OutputTokens += n
			if strings.Contains(name, "reasoning") {
				u.ReasoningTokens += n
			}
			continue
		case strings.Contains(name, "creation") || strings.Contains(name, "write"):
			u.CacheWriteTokens += n
		case strings.Contains(name, "cache"):
			u.CachedTokens += n
		}
		u.InputTokens += n
	}
	if hasIn || hasOut {
		m.Usage = u
		checkTotal(m, hasIn, hasOut, details.get("total").or(details.get("totaltokens")))
	}
}
