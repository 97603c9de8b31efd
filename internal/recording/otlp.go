package recording

import (
	"strings"

	"github.com/arena-evals/arena/internal/plural"
)

// Traces in the JSON encoding of the OpenTelemetry protocol, with the attributes of generative AI
// (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/), in the three ways in which their versions
// recorded messages: as JSON in attributes, as numbered attributes, and as events of a span.

const (
	aiPrefix         = "gen_ai."
	conversationAttr = "gen_ai.conversation.id"
	inputAttr        = "gen_ai.input.messages"
	outputAttr       = "gen_ai.output.messages"
	systemAttr       = "gen_ai.system_instructions"
	promptAttr       = "gen_ai.prompt"
	completionAttr   = "gen_ai.completion"
)

func isTraces(h *head) bool { return h.kind == '{' && h.has("resourcespans") }

// scanTraces groups spans into conversations: by conversation id, or else by trace.
func scanTraces(s *scan) {
	t := &traceScan{scan: s, hasMessage: map[string]bool{}}
	if first, _, _ := s.firstLine(); first.kind() == '{' {
		s.wholeLines(func(l line) bool {
			if !l.get("resourcemetrics").missing() || !l.get("resourcelogs").missing() {
				return true // collectors write all signals into one file
			}
			if l.get("resourcespans").kind() != '[' {
				s.errorf(s.pos(l.span), "wrong-line", "a line of traces must have resourceSpans").
					Hint = "is this line from another file?"
				return true
			}
			t.export(l.value, l.span)
			return true
		})
	} else if doc, p, ok := s.document(); ok {
		t.export(doc, p)
	}
	t.join()
}

type traceScan struct {
	*scan
	hasMessage map[string]bool // keys with a message
}

// export finds the spans of one export.
func (t *traceScan) export(doc value, p span) {
	loc := &locator{text: doc.text, line: p.line, col: p.col}
	known := exportFields()
	t.checkFields(doc, p, "an export", known)
	for resource := range doc.get("resourcespans").items {
		t.checkFields(resource, p, "the spans of a resource", known)
		for _, scopes := range []string{"scopespans", "instrumentationlibraryspans"} {
			for scope := range resource.get(scopes).items {
				t.checkFields(scope, p, "the spans of a scope", known)
				for item := range scope.get("spans").items {
					line, col := loc.place(item.at)
					t.span(item, span{at: p.at + int64(item.at), size: int64(len(item.text)), line: line, col: col})
				}
			}
		}
	}
}

func (t *traceScan) span(v value, p span) {
	t.checkFields(v, p, "a span", spanFields())
	isAI, hasMessages, conversation := inspectSpan(v)
	if !isAI {
		return
	}
	trace, _ := v.get("traceid").str()
	if trace == "" && conversation == "" {
		t.errorf(t.pos(p), "missing-field", "a span has no traceId")
		return
	}
	key := trace + "\x00" + conversation
	t.add(key, p)
	t.hasMessage[key] = t.hasMessage[key] || hasMessages
}

// inspectSpan reports whether a span is about generative AI, whether it holds messages, and its conversation id.
func inspectSpan(v value) (isAI, hasMessages bool, conversation string) {
	for attr := range v.get("attributes").items {
		key, _ := attr.get("key").str()
		isAI = isAI || strings.HasPrefix(key, aiPrefix)
		hasMessages = hasMessages || holdsMessages(key)
		if key == conversationAttr {
			conversation, _ = attr.get("value").get("stringvalue").str()
		}
	}
	for e := range v.get("events").items {
		if name, _ := e.get("name").str(); strings.HasPrefix(name, aiPrefix) {
			isAI = true
			hasMessages = hasMessages || roleOfEvent(name) != "" || strings.HasPrefix(name, "gen_ai.content.") ||
				name == "gen_ai.client.inference.operation.details"
		}
	}
	return isAI, hasMessages, conversation
}

func holdsMessages(key string) bool {
	switch key {
	case inputAttr, outputAttr, promptAttr, completionAttr:
		return true
	}
	return strings.HasPrefix(key, promptAttr+".") || strings.HasPrefix(key, completionAttr+".")
}

// join adds spans without a conversation id to that of their trace, and joins the traces of a conversation.
func (t *traceScan) join() {
	ofTrace := map[string][]string{} // the conversations of a trace
	for _, e := range t.index.entries {
		if trace, conversation, _ := strings.Cut(e.key, "\x00"); conversation != "" {
			ofTrace[trace] = append(ofTrace[trace], conversation)
		}
	}
	joined := map[string][]*entry{}
	var order []string
	for _, e := range t.index.entries {
		trace, conversation, _ := strings.Cut(e.key, "\x00")
		if conversation == "" && len(ofTrace[trace]) == 1 {
			conversation = ofTrace[trace][0]
		}
		key := "\x00" + conversation
		if conversation == "" {
			key = trace
		}
		if joined[key] == nil {
			order = append(order, key)
		}
		joined[key] = append(joined[key], e)
	}
	t.index.entries = t.index.entries[:0]
	for _, key := range order {
		t.index.entries = append(t.index.entries, t.union(joined[key], strings.TrimPrefix(key, "\x00")))
	}
	t.index.keep(func(e *entry) bool { return t.hasMessage[e.key] })
	switch silent := len(order) - len(t.index.entries); {
	case silent > 0 && len(t.index.entries) == 0:
		t.errorf(t.pos(joined[order[0]][0].first()), "no-content", "the spans of generative AI hold no messages").
			Hint = "turn on the capture of messages in the instrumentation of the agent"
	case silent > 0:
		t.notef("%s without messages left out", plural.Count(silent, "trace"))
	}
}

// union makes one session of several.
func (t *traceScan) union(entries []*entry, id string) *entry {
	out := &entry{key: entries[0].key, id: id, spans: entries[0].spans}
	if len(entries) > 1 {
		out.spans = merge(entries)
	}
	for _, e := range entries {
		t.hasMessage[out.key] = t.hasMessage[out.key] || t.hasMessage[e.key]
	}
	return out
}
