package recording

import (
	"iter"
	"strings"
)

// Logs of LiteLLM: calls with their messages, responses and costs, as its logger and its proxy write them.

func isLiteLLM(h *head) bool {
	return h.has("calltype") &&
		(h.has("responsecost") || h.has("spend") || h.has("customllmprovider") || h.has("modelgroup"))
}

func scanLiteLLM(s *scan) {
	t := &traceScan{
		scan: s, hasMessage: map[string]bool{}, silence: "no call in the log is one of a conversation",
		silenceHint: "arena reads calls of chat completions, of messages and of responses",
	}
	s.records(func(doc value) value { return doc.get("data") }, func(v value, p span) {
		kind, ok := v.get("calltype").str()
		if !ok {
			s.otherRecord(p, "a call_type")
			return
		}
		trace, _ := v.get("traceid").or(v.get("sessionid")).or(v.get("id")).or(v.get("requestid")).str()
		if trace == "" {
			s.errorf(s.pos(p), "missing-field", "a call has no id")
			return
		}
		t.addSpan(trace, "", isTalk(kind), p)
	})
	t.join()
}

// isTalk reports whether a type of call belongs to a conversation.
func isTalk(kind string) bool {
	if kind != "anthropic_messages" { // the prefix a means an asynchronous call
		kind = strings.TrimPrefix(kind, "a")
	}
	switch kind {
	case "completion", "text_completion", "responses", "anthropic_messages", "generate_content":
		return true
	}
	return false
}

func readLiteLLM(b *builder, pieces iter.Seq[piece]) {
	var spans []aiSpan
	for p := range pieces {
		o, ok := b.object(p.value, "a call")
		if !ok {
			continue
		}
		if kind, _ := o.get("calltype").str(); isTalk(kind) {
			spans = append(spans, b.liteLLMCall(o))
		}
	}
	b.conversation(spans)
}

func (b *builder) liteLLMCall(o object) aiSpan {
	s := aiSpan{
		pos: b.pos(o.value), id: b.text(o.get("id", "requestid"), "id"), operation: "chat",
		start: b.instant(o.get("starttime")), end: b.instant(o.get("endtime")), model: b.text(o.get("model"), "model"),
		provider: b.text(o.get("customllmprovider"), "custom_llm_provider"),
	}
	if s.failure = b.failureIn(o); s.failure == "" {
		s.failure, _ = o.get("errorinformation").get("errormessage").str()
	}
	for _, field := range []string{"messages", "response"} {
		if text, _ := o.get(field).str(); strings.HasPrefix(text, "redacted-by-litellm") {
			b.hidden(o.get(field), "the field "+field)
			return s
		}
	}
	b.doubtGuardrails(o)
	messages, response := o.get("messages"), o.get("response")
	if isEmpty(messages) { // the proxy may keep only the complete request
		messages = nestedJSON(o.get("proxyserverrequest"))
	}
	b.loggedCall(&s, messages, response)
	if len(s.output) > 0 {
		b.liteLLMMeasures(&s.output[len(s.output)-1].Message, o)
	}
	return s
}

// doubtGuardrails tells of guardrails of the proxy that did more than let a call through: what is logged may not be
// what the user got.
func (b *builder) doubtGuardrails(o object) {
	one := func(v value) {
		switch status, _ := v.get("guardrailstatus").str(); status {
		case "", "success", "not_run":
		default:
			name, _ := v.get("guardrailname").str()
			b.doubtf("the guardrail %s of the proxy tells: %s", cutText(name, 40), cutText(status, 40))
		}
	}
	metadata := nestedJSON(o.get("metadata"))
	for _, told := range []value{
		o.get("guardrailinformation"), metadata.get("guardrailinformation"),
		metadata.get("standardloggingguardrailinformation"),
	} {
		told = nestedJSON(told)
		if one(told); told.kind() == '[' {
			for item := range told.items {
				one(item)
			}
		}
	}
}

// liteLLMMeasures adds tokens and cost. LiteLLM writes an unknown cost as 0.
func (b *builder) liteLLMMeasures(m *Message, o object) {
	if m.Usage == nil {
		if b.cost(&m.Message, o.value); m.Usage != nil && m.Usage.Total() == 0 {
			m.Usage = nil
		}
	}
	m.CostUSD = nil
	if m.Cached, _ = b.flag(o.get("cachehit")); m.Cached {
		return
	}
	if f := b.amount(o.get("responsecost", "spend"), "response_cost"); f != nil && *f > 0 {
		m.CostUSD = f
	}
}

// flag reads a boolean that may be written as a text.
func (b *builder) flag(v value) (set, known bool) {
	word, ok := v.scalar()
	return strings.EqualFold(word, "true"), ok
}
