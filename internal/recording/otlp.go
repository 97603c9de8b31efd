package recording

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/spans"
)

// Traces in the JSON encoding of the OpenTelemetry protocol, with the attributes of generative AI
// (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/), in the three ways in which their versions
// recorded messages: as JSON in attributes, as numbered attributes, and as events of a span.

const (
	aiPrefix         = "gen_ai."
	conversationAttr = spans.ConversationID
	inputAttr        = spans.InputMessages
	outputAttr       = spans.OutputMessages
	systemAttr       = spans.SystemInstructions
	promptAttr       = spans.Prompt
	completionAttr   = spans.Completion
)

func isTraces(h *head) bool { return h.kind == '{' && h.has("resourcespans") }

// scanTraces groups spans into conversations: by conversation id, or else by trace.
func scanTraces(s *scan) {
	t := &traceScan{scan: s, hasMessage: map[string]bool{}}
	if first, _, _ := s.firstLine(); first.kind() == '{' {
		s.completeLines(func(l line) bool {
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
	t.nameConvention()
}

// nameConvention names the convention of the spans when no span holds a message that arena reads.
func (t *traceScan) nameConvention() {
	if len(t.index.entries) == 0 && t.problems.Errors() == 0 && t.convention != "" {
		t.errorf(diag.Pos{File: t.file, Line: 1, Col: 1}, "unread-recording",
			"the spans hold the attributes of %s, which arena does not read", t.convention).Hint = otherConvention
	}
}

// otherConvention is the hint for traces whose messages are in attributes that arena does not read.
const otherConvention = "arena reads the conventions of OpenTelemetry (gen_ai.*) and those of OpenInference"

type traceScan struct {
	*scan
	hasMessage map[string]bool // keys with a message
	// silence is the problem of a file without messages, if it is not a file of OpenTelemetry.
	silence, silenceHint string
	convention           string // of the attributes of spans without messages; "": not known
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
					t.checkFields(item, span{line: line, col: col}, "a span", spanFields())
					t.span(item, span{at: p.at + int64(item.at), size: int64(len(item.text)), line: line, col: col})
				}
			}
		}
	}
}

func (t *traceScan) span(v value, p span) {
	isAI, hasMessages, conversation := inspectSpan(v)
	if !isAI || !hasMessages {
		t.convention = cmp.Or(t.convention, conventionOf(v.get("attributes")))
	}
	if !isAI {
		return
	}
	trace, _ := v.get("traceid").or(v.get("context").get("traceid")).str()
	if trace == "" && conversation == "" {
		t.errorf(t.pos(p), "missing-field", "a span has no traceId")
		return
	}
	t.addSpan(trace, conversation, hasMessages, p)
}

// addSpan adds a piece to its trace, or to a conversation within the trace.
func (t *traceScan) addSpan(trace, conversation string, hasMessages bool, p span) {
	key := trace + "\x00" + conversation
	t.add(key, p)
	t.hasMessage[key] = t.hasMessage[key] || hasMessages
}

// inspectSpan reports whether a span is about generative AI, whether it holds messages, and its conversation id.
func inspectSpan(v value) (isAI, hasMessages bool, conversation string) {
	var o spanOutline
	attrs := v.get("attributes")
	for attr := range attrs.items {
		key, _ := attr.get("key").str()
		o.attribute(key, attr.get("value").get("stringvalue"))
	}
	o.object("", attrs)
	if kind, ok := v.get("spankind").or(v.get("kind")).str(); ok && o.kind == "" {
		o.kind = kind
	}
	if attrs.missing() && v.get("traceid").kind() == '"' { // as kensa stores it
		o.isAI, o.hasText = true, !v.get("input").missing() || !v.get("output").missing() || !isEmpty(v.get("tools"))
	}
	isCall := strings.EqualFold(o.kind, "LLM")
	o.isAI = o.isAI || spans.IsInferenceKind(o.kind)
	for e := range v.get("events").items {
		if name, _ := e.get("name").str(); strings.HasPrefix(name, aiPrefix) {
			o.isAI = true
			o.hasMessages = o.hasMessages || roleOfEvent(name) != "" || strings.HasPrefix(name, "gen_ai.content.") ||
				name == inferenceDetails
		}
	}
	name, _ := v.get("name").str()
	o.isAI = o.isAI || spans.NamesTool(name, func(key string) string { return o.ofTools[key] })
	if o.conversation == "" && o.isAI {
		o.conversation = o.session
	}
	return o.isAI, o.hasMessages || o.hasText && isCall, o.conversation
}

// spanOutline is a summary of the attributes of a span.
type spanOutline struct {
	isAI, hasMessages, hasText  bool
	conversation, session, kind string
	ofTools                     map[string]string // attributes that may mean that a tool ran
}

func (o *spanOutline) attribute(key string, v value) {
	o.isAI = o.isAI || strings.HasPrefix(key, aiPrefix) || isInference(key)
	o.hasMessages = o.hasMessages || holdsMessages(key)
	text, _ := v.str()
	if spans.TellsTool(key) {
		if o.ofTools == nil {
			o.ofTools = map[string]string{}
		}
		o.ofTools[key] = text
	}
	switch key {
	case conversationAttr:
		o.conversation = text
	case inferenceSession:
		o.session = text
	case inferenceKind:
		o.kind = text
	case spans.InputValue, spans.OutputValue:
		o.hasText = true
	}
}

// object reads attributes that are members of an object, and of nested objects.
func (o *spanOutline) object(prefix string, v value) {
	for key, member := range v.members {
		name := prefix + string(plainKey(key))
		if o.attribute(name, member); member.kind() == '{' {
			o.object(name+".", member)
		}
	}
}

func holdsMessages(key string) bool {
	switch key {
	case inputAttr, outputAttr, promptAttr, completionAttr:
		return true
	}
	for _, prefix := range []string{promptAttr, completionAttr, inferenceInput, inferenceOutput} {
		if strings.HasPrefix(key, prefix+".") {
			return true
		}
	}
	return key == inferenceInput || key == inferenceOutput
}

// join adds spans without a conversation id to the conversation of their trace, and joins the traces of a conversation.
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
		d := t.errorf(t.pos(joined[order[0]][0].first()), "no-content", "the spans of generative AI hold no messages")
		if d.Hint = "turn on the capture of messages in the instrumentation of the agent"; t.convention != "" {
			d.Msg = fmt.Sprintf("the spans of generative AI hold no messages but in attributes of %s, which arena does not read",
				t.convention)
			d.Hint = otherConvention
		}
		if t.silence != "" {
			d.Msg, d.Hint = t.silence, t.silenceHint
		}
	case silent > 0:
		t.notef("%s without messages left out", plural.Count(silent, "trace"))
	}
}

// union makes one session of several.
func (t *traceScan) union(entries []*entry, id string) *entry {
	out := &entry{key: entries[0].key, id: id, places: entries[0].places}
	if len(entries) > 1 {
		out.places = merge(entries)
	}
	for _, e := range entries {
		t.hasMessage[out.key] = t.hasMessage[out.key] || t.hasMessage[e.key]
	}
	return out
}
