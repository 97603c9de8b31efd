package recording

import (
	"encoding/json"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Items of OpenAI's Responses API: messages, function calls with their outputs, and tool calls of the platform.

// isResponse reports whether an object is a response.
func isResponse(v value) bool {
	kind, _ := v.get("object").str()
	return kind == "response" && v.get("output").kind() == '['
}

// isItem reports whether a type is an item of this API and not a message of another API.
func isItem(kind string) bool {
	switch kind {
	case "function_call_output", "reasoning", "item_reference", "compaction":
		return true
	}
	return strings.HasSuffix(kind, "_call") && kind != "tool_call" || strings.HasSuffix(kind, "_call_output")
}

// responseItems reads the input or the output of a response. The calls and texts of one output are one reply.
func (b *builder) responseItems(v value, role chat.Role) (out []event) {
	for item := range v.items {
		kind, _ := item.get("type").str()
		if isItem(kind) {
			out = append(out, b.responseItem(item, kind)...)
			continue
		}
		out = append(out, b.loggedMessage(item, role)...)
	}
	return out
}

// responseItem reads an item that is not a message.
func (b *builder) responseItem(v value, kind string) []event {
	o, ok := b.object(v, "an item")
	if !ok {
		b.badMessage = true
		return nil
	}
	e := event{Message: Message{Offset: -1, Pos: b.pos(v)}}
	e.Role = chat.Assistant
	switch kind {
	case "reasoning": // not part of the reply
		return nil
	case "item_reference", "compaction":
		b.badMessage = true
		b.errorf(v, "lost-message", "an item of type %s stands for messages that are not in the file", kind).
			Hint = "record the conversation with its items"
		return nil
	case "function_call", "custom_tool_call":
		e.ToolCalls, e.FinishReason = []chat.ToolCall{b.itemCall(o)}, b.stopReason(o)
		e.noteUnknownArgs(&e.ToolCalls[0], v, o.get("arguments").or(o.get("input")))
		return []event{e}
	}
	if strings.HasSuffix(kind, "_call_output") {
		return []event{b.itemResult(o, e)}
	}
	return b.platformCall(o, e, strings.TrimSuffix(kind, "_call"))
}

func (b *builder) itemCall(o object) chat.ToolCall {
	call := chat.ToolCall{ID: b.text(o.get("callid", "id"), "call_id"), Name: b.text(o.get("name"), "name")}
	if call.Name == "" {
		b.errorf(o.value, "missing-field", "a tool call has no name")
	}
	b.knownMembers(o, "a tool call", "type", "id", "call_id", "name", "arguments", "input", "status", "namespace",
		"created_by")
	call.Args, call.BadArgs = b.args(o.get("arguments"))
	if input := o.get("input"); !input.missing() { // the input of a tool that takes a text
		text := b.text(input, "input")
		call.Args, call.BadArgs = jsonvalue.Object{"input": text}, ""
	}
	return call
}

func (b *builder) itemResult(o object, e event) event {
	b.knownMembers(o, "a tool result", "type", "id", "call_id", "output", "status", "created_by")
	e.Role = chat.ToolRole
	output := o.get("output")
	if output.missing() {
		b.errorf(o.value, "missing-content", "a tool result has no output")
	}
	b.content(&e.Message, object{output, map[string]value{"content": output}})
	e.ToolResult = &chat.ToolResult{ID: b.text(o.get("callid"), "call_id"), Content: e.Content, Parts: e.Parts}
	e.ToolResult.Error = b.resultFailure(o, e.Content)
	e.Parts = nil
	b.noErrorFlag = true
	return e
}

// platformCall reads a tool call that the platform ran. Its result is that of the item, else the status of the call.
func (b *builder) platformCall(o object, e event, name string) []event {
	call := chat.ToolCall{ID: b.text(o.get("id"), "id"), Name: name, Args: jsonvalue.Object{}}
	if name == "mcp" {
		call.Name = b.text(o.get("name"), "name")
		call.Args, call.BadArgs = b.args(o.get("arguments"))
	} else {
		for key, member := range o.value.members {
			switch foldKey(key) {
			case "id", "type", "status", "outputs", "results", "result", "createdby", "error":
				continue
			}
			if decoded, err := chat.DecodeJSON(member.text); err == nil {
				call.Args[string(key)] = decoded
			}
		}
	}
	e.ToolCalls = []chat.ToolCall{call}
	output := o.get("output", "outputs", "results", "result")
	text := textOf(output.or(o.get("status")))
	answer := event{Message: Message{Offset: -1, Pos: e.Pos}}
	answer.Role, answer.Content = chat.ToolRole, text
	answer.ToolResult = &chat.ToolResult{ID: call.ID, Name: call.Name, Content: text, Error: b.failureIn(o)}
	return []event{e, answer}
}

// knownMembers refuses any other member that has content.
func (b *builder) knownMembers(o object, what string, names ...string) {
	b.checkFields(o, what, newFieldNames(strings.Join(names, " ")))
}

// oneReply joins consecutive calls and texts in the output of a response into one reply, as other APIs have it.
func oneReply(events []event) (out []event) {
	for _, e := range events {
		n := len(out)
		if n > 0 && out[n-1].Role == chat.Assistant && e.Role == chat.Assistant && len(e.Parts)+len(out[n-1].Parts) == 0 {
			last := &out[n-1]
			last.Content += e.Content
			last.ToolCalls = append(last.ToolCalls, e.ToolCalls...)
			if !chat.Complete(e.FinishReason) {
				last.FinishReason = e.FinishReason
			}
			continue
		}
		out = append(out, e)
	}
	return out
}

// rawObject encodes an object of values.
func rawObject(members map[string]value) []byte {
	all := make(map[string]json.RawMessage, len(members))
	for name, member := range members {
		all[name] = member.text
	}
	text, err := json.Marshal(all)
	if err != nil { // values are valid JSON
		return []byte("{}")
	}
	return text
}
