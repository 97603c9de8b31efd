package recording

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// Spans with the attributes of OpenInference (https://arize-ai.github.io/openinference/spec).

const (
	inferenceKind    = "openinference.span.kind"
	inferenceInput   = "llm.input_messages"
	inferenceOutput  = "llm.output_messages"
	inferenceSession = "session.id"
)

// isInference reports whether an attribute is one of OpenInference's that are about models.
func isInference(key string) bool {
	return key == inferenceKind || strings.HasPrefix(key, inferenceInput) || strings.HasPrefix(key, inferenceOutput)
}

// isInferenceKind reports whether a word is a kind of span of OpenInference.
func isInferenceKind(kind string) bool {
	switch strings.ToUpper(kind) {
	case "LLM", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "EMBEDDING", "RERANKER", "GUARDRAIL", "EVALUATOR", "PROMPT":
		return true
	}
	return false
}

// inferenceOperation is what the conventions for generative AI call a kind of span.
func inferenceOperation(kind string) string {
	switch strings.ToUpper(kind) {
	case "LLM":
		return "chat"
	case "TOOL":
		return "execute_tool"
	case "AGENT":
		return "invoke_agent"
	case "EMBEDDING":
		return "embeddings"
	case "EVALUATOR":
		return "evaluator"
	}
	return strings.ToLower(kind)
}

// spanOfInference reads what OpenInference says of a span, unless the other conventions said it.
func (b *builder) spanOfInference(s *aiSpan, o object, attrs attributes) {
	name, _ := o.get("name").str()
	kind := attrs.text(inferenceKind)
	s.operation = cmp.Or(s.operation, inferenceOperation(kind))
	s.judge = s.judge || s.operation == "evaluator"
	s.model = cmp.Or(s.model, attrs.text("llm.response.model_name", "llm.model_name", "llm.request.model_name"))
	s.provider = cmp.Or(s.provider, attrs.text("llm.provider", "llm.system"))
	switch {
	case s.operation == "execute_tool":
		b.inferenceTool(s, name, attrs)
	case len(s.input)+len(s.output) == 0:
		r := &spanReader{b: b, pos: s.pos, at: o.at}
		s.input = r.inference(attrs, inferenceInput, chat.User)
		s.output = r.inference(attrs, inferenceOutput, chat.Assistant)
		if kind == "LLM" || kind == "llm" {
			if len(s.input) == 0 {
				s.input = r.inferenceText(attrs["input.value"], chat.User, "input.value")
			}
			if len(s.output) == 0 {
				s.output = oneReply(r.inferenceText(attrs["output.value"], chat.Assistant, "output.value"))
			}
			s.silent = len(s.input)+len(s.output) == 0 && !b.badMessage
		}
	}
	for i := range s.input {
		s.input[i].At = s.start
	}
	for i := range s.output {
		s.output[i].At = s.end
	}
}

// inferenceText reads the input or output of a call whose messages were not recorded one by one.
func (r *spanReader) inferenceText(v value, role chat.Role, what string) []event {
	if v.missing() {
		return nil
	}
	return r.b.logged(value{v.text, r.at}, role, what)
}

// inference reads messages that are attributes with numbers, or one attribute with all of them.
func (r *spanReader) inference(attrs attributes, prefix string, role chat.Role) (out []event) {
	root := &branch{}
	for key, v := range attrs {
		if key == prefix {
			root.insert(nil, nestedJSON(v))
		} else if rest, ok := strings.CutPrefix(key, prefix+"."); ok {
			root.insert(strings.Split(rest, "."), v)
		}
	}
	for _, m := range r.entries(root, prefix) {
		if said := m.at("message"); !said.empty() {
			m = said
		}
		out = append(out, r.inferenceMessage(m, prefix, role)...)
	}
	return out
}

// entries are the kids of a list. One that lacks some was cut on its way.
func (r *spanReader) entries(list *branch, what string) []*branch {
	kids, missing := list.list()
	if missing >= 0 {
		r.b.badMessage = true
		r.b.problems.Errorf(r.pos, 1, "lost-message", "the span has %d entries in %s.*, but none with the number %d",
			len(list.kids), what, missing).Hint = "attributes were dropped on the way; raise the limit of attributes of a span"
		return nil
	}
	return kids
}

func (r *spanReader) inferenceMessage(m *branch, what string, role chat.Role) []event {
	if m.kids == nil {
		r.b.badMessage = true
		r.b.problems.Errorf(r.pos, 1, "missing-content", "a message in %s must be an object, found %s",
			what, describe(m.leaf))
		return nil
	}
	o := object{value{at: r.at}, map[string]value{}}
	for _, name := range m.names() {
		kid := m.kids[name]
		switch name {
		case "tool_calls":
			var calls []json.RawMessage
			for _, call := range r.entries(kid, "message.tool_calls") {
				if inner := call.at("tool_call"); !inner.empty() {
					call = inner
				}
				calls = append(calls, call.json())
			}
			o.members["toolcalls"] = value{jsonList(calls), r.at}
		case "contents":
			o.members["content"] = value{jsonList(r.inferenceParts(kid)), r.at}
		case "function_call_name":
			call := map[string]value{"name": kid.leaf}
			if args := m.at("function_call_arguments_json"); !args.empty() {
				call["arguments"] = args.leaf
			}
			o.members["functioncall"] = value{rawObject(call), r.at}
		case "function_call_arguments_json":
		default:
			o.members[foldKey([]byte(name))] = value{kid.json(), r.at}
		}
	}
	if text, _ := o.get("content").str(); text == hiddenText {
		r.b.badMessage = true
		r.b.problems.Errorf(r.pos, 1, "lost-message", "a message was hidden by the instrumentation, and nobody can judge it").
			Hint = "let the instrumentation record inputs and outputs"
		return nil
	}
	return r.b.splitMessage(o, r.pos, role)
}

// inferenceParts makes parts of message.contents.
func (r *spanReader) inferenceParts(list *branch) (parts []json.RawMessage) {
	if list.kids == nil {
		r.b.badMessage = true
		r.b.problems.Errorf(r.pos, 1, "missing-content", "message.contents must be a list, found %s", describe(list.leaf))
		return nil
	}
	for _, part := range r.entries(list, "message.contents") {
		if inner := part.at("message_content"); !inner.empty() {
			part = inner
		}
		if url := part.at("image", "image", "url"); !url.empty() {
			parts = append(parts, rawObject(map[string]value{
				"type": {text: []byte(`"image_url"`)}, "image_url": url.leaf,
			}))
			continue
		}
		parts = append(parts, part.json())
	}
	return parts
}

// inferenceTool reads the run of a tool.
func (b *builder) inferenceTool(s *aiSpan, name string, attrs attributes) {
	if attrs.text(inferenceKind) == "" {
		return
	}
	s.tool.ID = attrs.text("tool_call.id", "tool.id", "tool_call.tool_call.id")
	s.tool.Name = cmp.Or(attrs.text("tool.name", "tool_call.function.name"), name)
	for _, key := range []string{"tool_call.function.arguments", "input.value", "tool.parameters"} {
		if v := attrs[key]; !v.missing() {
			s.toolArgs, s.toolBadArgs = b.args(v)
			break
		}
	}
	v, found := attrs["output.value"]
	if s.hasResult = found && !v.missing(); s.hasResult {
		text, ok := v.str()
		if !ok {
			text = string(v.text)
		}
		s.tool.Content = text
	}
	s.tool.Error, s.tool.LatencyMS = s.failure, s.latency()
}

// inferenceMeasures adds the measures that OpenInference has for a call.
func (b *builder) inferenceMeasures(m *Message, attrs attributes) {
	in, hasIn := attrs.tokens(b, "llm.token_count.prompt")
	out, hasOut := attrs.tokens(b, "llm.token_count.completion")
	if (hasIn || hasOut) && m.Usage == nil {
		cached, _ := attrs.tokens(b, "llm.token_count.prompt_details.cache_read", "llm.token_count.cache_read")
		written, _ := attrs.tokens(b, "llm.token_count.prompt_details.cache_write")
		thought, _ := attrs.tokens(b, "llm.token_count.completion_details.reasoning")
		m.Usage = &chat.Usage{
			InputTokens: in, OutputTokens: out, CachedTokens: cached, CacheWriteTokens: written, ReasoningTokens: thought,
		}
	}
	if cost := b.amount(attrs["llm.cost.total"], "llm.cost.total"); cost != nil && m.CostUSD == nil {
		m.CostUSD = cost
	}
	m.FinishReason = cmp.Or(m.FinishReason, attrs.text("llm.finish_reason"))
}
