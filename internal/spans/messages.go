package spans

import "strings"

// replyText is the content of a reply: texts, tool calls and finish reason.
type replyText struct {
	texts  []string
	calls  []Tool
	finish string
}

func (s *replyText) text() string { return strings.Join(s.texts, "\n") }

const mostNesting = 8 // of lists and wrappers around a message

// read adds the text of a message, in the forms of the conventions and of model APIs: a text, a message, a list of
// messages, or a whole response.
func (s *replyText) read(d document, depth int) {
	if depth > mostNesting {
		return
	}
	switch d.kind() {
	case '"':
		if text := d.str(); text != "" {
			s.texts = append(s.texts, text)
		}
	case '[':
		for item := range d.elements {
			s.block(item, depth+1)
		}
	case '{':
		s.object(d, depth)
	}
}

// value reads a text that may be the whole response of an API. Any other JSON is the text that was said.
func (s *replyText) value(v value) {
	if d := v.document(); isResponse(d) {
		s.read(d, 0)
		return
	}
	if text := v.string(); text != "" {
		s.texts = append(s.texts, text)
	}
}

// isResponse reports whether JSON is the response of a model's API, or messages.
func isResponse(d document) bool {
	switch d.kind() {
	case '{':
		isList := func(name string) bool { return d.get(name).kind() == '[' }
		return isList("choices") || isList("messages") || isList("content") || !d.get("role").missing() ||
			isList("output") && !d.get("object").missing() || d.get("message").kind() == '{'
	case '[':
		for item := range d.elements {
			return !item.get("role").missing() || item.get("type").kind() == '"' &&
				!item.get("text", "content", "input", "arguments").missing() || item.get("message").kind() == '{'
		}
	}
	return false
}

// object reads a message, or an object around one.
func (s *replyText) object(d document, depth int) {
	if inner := d.get("messages", "choices", "message").or(d.under("message.")); !inner.missing() {
		s.ended(d)
		s.read(inner, depth+1)
		return
	}
	if out := d.get("output"); out.kind() == '[' { // of OpenAI's Responses
		s.read(out, depth+1)
		return
	}
	switch d.get("role").str() {
	case "user", "system", "developer", "tool":
		return // an output that repeats its input
	}
	s.ended(d)
	for _, name := range []string{"content", "contents", "parts", "text"} {
		s.read(d.get(name), depth+1)
	}
	if v := d.get("value"); !v.missing() {
		s.value(valueOf(v))
	}
	for call := range d.get("tool_calls").elements {
		s.call(call)
	}
	if call := d.get("function_call"); call.kind() == '{' {
		s.call(call)
	}
	if name := d.get("function_call_name").str(); name != "" {
		s.calls = append(s.calls, Tool{Name: name, Args: d.get("function_call_arguments_json").text()})
	}
}

// block reads an element of a list: a message, or a part of one.
func (s *replyText) block(d document, depth int) {
	if inner := d.get("message_content").or(d.under("message_content.")); inner.kind() == '{' {
		d = inner
	}
	switch d.get("type").str() {
	case "tool_use", "tool_call", "function_call":
		s.call(d)
	case "text", "output_text":
		if inner := d.get("text", "content"); inner.kind() == '"' {
			s.read(inner, depth)
		}
	case "thinking", "reasoning", "image", "image_url", "tool_result", "tool_call_response":
	default:
		s.read(d, depth)
	}
}

// call reads a tool call in the form of any API.
func (s *replyText) call(d document) {
	if inner := d.get("tool_call").or(d.under("tool_call.")); inner.kind() == '{' {
		d = inner
	}
	from := d
	if inner := d.get("function").or(d.under("function.")); inner.kind() == '{' {
		from = inner
	}
	t := Tool{
		ID: d.get("id", "call_id").scalar(), Name: from.get("name").scalar(),
		Args: from.get("arguments", "args", "input", "parameters").text(),
	}
	if t.Name != "" {
		s.calls = append(s.calls, t)
	}
}

// ended reads why a reply ended.
func (s *replyText) ended(d document) {
	if reason := d.get("finish_reason", "stop_reason").str(); reason != "" && s.finish == "" {
		s.finish = reason
	}
}
