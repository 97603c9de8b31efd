package recording

import (
	"encoding/json"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/spans"
)

// Spans with the attributes of OpenInference (https://arize-ai.github.io/openinference/spec).

const (
	inferenceKind    = spans.InferenceKindOfSpan
	inferenceInput   = spans.InferenceInput
	inferenceOutput  = spans.InferenceOutput
	inferenceSession = spans.InferenceSession
)

// isInference reports whether an attribute is one of OpenInference's attributes about models.
func isInference(key string) bool {
	return key == inferenceKind || strings.HasPrefix(key, inferenceInput) || strings.HasPrefix(key, inferenceOutput)
}

// spanOfInference reads the OpenInference attributes of a span. Values of the other conventions have precedence.
func (b *builder) spanOfInference(s *aiSpan, kind string, o object, attrs attributes) {
	if s.operation != "execute_tool" && len(s.input)+len(s.output) == 0 {
		r := &spanReader{b: b, pos: s.pos, at: o.at}
		s.input = r.inference(attrs, inferenceInput, chat.User)
		s.output = r.inference(attrs, inferenceOutput, chat.Assistant)
		if kind == "LLM" || kind == "llm" {
			if len(s.input) == 0 {
				s.input = r.inferenceText(attrs[spans.InputValue], chat.User, spans.InputValue)
			}
			if len(s.output) == 0 {
				s.output = oneReply(r.inferenceText(attrs[spans.OutputValue], chat.Assistant, spans.OutputValue))
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

// inferenceText reads the input or output of a call whose messages were not recorded individually.
func (r *spanReader) inferenceText(v value, role chat.Role, what string) []event {
	if v.missing() {
		return nil
	}
	return r.b.logged(value{v.text, r.at}, role, what)
}

// inference reads messages from numbered attributes, or from one attribute with all of them.
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
		if nested := m.at("message"); !nested.empty() {
			m = nested
		}
		out = append(out, r.inferenceMessage(m, prefix, role)...)
	}
	return out
}

// entries returns the kids of a list. A list with a gap was cut, and is refused.
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
		r.b.problems.Errorf(r.pos, 1, "lost-message", "a message was hidden by the instrumentation, so it cannot be judged").
			Hint = "configure the instrumentation to record inputs and outputs"
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
