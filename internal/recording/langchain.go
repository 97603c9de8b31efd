package recording

import (
	"encoding/json"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// Messages of LangChain: {type: human, content}, {type: human, data: {content}}, or the constructor of a class with its
// arguments.

// chainRole is the role of a type of LangChain's messages; "" for other words.
func chainRole(kind string) chat.Role {
	switch kind {
	case "human", "HumanMessageChunk":
		return chat.User
	case "ai", "AIMessageChunk":
		return chat.Assistant
	case "system", "developer":
		return chat.System
	case "tool", "function":
		return chat.ToolRole
	}
	return ""
}

// constructorRole is the role of the class in {id: [..., "HumanMessage"], kwargs}.
func constructorRole(v value) chat.Role {
	class := ""
	for part := range v.get("id").items {
		class, _ = part.str()
	}
	word, _, _ := strings.Cut(class, "Message")
	if role := chainRole(strings.ToLower(word)); role != "" {
		return role
	}
	word, _ = v.get("kwargs").get("role").str()
	return plainRole(word)
}

var chainFields = newLazyFields(`type role content additional_kwargs tool_calls invalid_tool_calls
	tool_call_chunks response_metadata usage_metadata name id tool_call_id status artifact example lc_attributes
	lc_namespace lc_serializable lc_kwargs chunk_position metadata`)

// chainMessage reads the fields of a message of LangChain, which are in v or in an object around it.
func (b *builder) chainMessage(v value, role chat.Role, around value) []event {
	o, ok := b.object(v, "a message")
	if !ok {
		b.badMessage = true
		return nil
	}
	if role == "" {
		b.badMessage = true
		b.errorf(around, "unknown-role", "a message of LangChain is of no known class")
		return nil
	}
	b.checkFields(o, "a message", chainFields())
	b.refuseHidden(o)
	members := map[string]value{"role": {[]byte(`"` + string(role) + `"`), v.at}}
	more := o.get("additionalkwargs")
	for field, from := range map[string]value{
		"content": o.get("content"), "name": o.get("name"), "toolcallid": o.get("toolcallid"), "id": o.get("id"),
		"refusal": more.get("refusal"), "functioncall": more.get("functioncall"),
	} {
		if !from.missing() {
			members[field] = from
		}
	}
	if calls := o.get("toolcalls"); !isEmpty(calls) {
		members["toolcalls"] = calls
	} else if calls := more.get("toolcalls"); !isEmpty(calls) {
		members["toolcalls"] = calls
	}
	if invalid := o.get("invalidtoolcalls"); !isEmpty(invalid) {
		members["toolcalls"] = value{joinLists(members["toolcalls"], invalid), v.at}
	}
	if status := o.get("status"); !status.missing() {
		members["status"] = status
	}
	events := b.splitMessage(object{v, members}, b.pos(around), role)
	if n := len(events); n > 0 && role == chat.Assistant {
		b.chainMeasures(&events[n-1], o)
	}
	return events
}

// joinLists joins two lists, of which the first may be missing. The reasons why calls are invalid are left out.
func joinLists(x, y value) []byte {
	var items []json.RawMessage
	for item := range x.items {
		items = append(items, item.text)
	}
	for item := range y.items {
		call := map[string]json.RawMessage{}
		for key, member := range item.members {
			if name := foldKey(key); name == "id" || name == "name" || name == "args" {
				call[name] = member.text
			}
		}
		if text, err := json.Marshal(call); err == nil {
			items = append(items, text)
		}
	}
	return jsonList(items)
}

// chainMeasures reads usage and finish reason from the metadata of a reply.
func (b *builder) chainMeasures(e *event, o object) {
	meta := o.get("responsemetadata")
	for _, name := range []string{"finishreason", "stopreason"} {
		if word, ok := meta.get(name).str(); ok && e.FinishReason == "" {
			e.FinishReason = word
		}
	}
	if usage := o.get("usagemetadata"); usage.kind() == '{' {
		b.cost(&e.Message.Message, usage)
	}
}

// generations reads the outputs of a model in LangChain: {generations: [[{text, message}]], llm_output}.
func (b *builder) generations(v value, what string) (out []event) {
	n := 0
	var first value
	for batch := range v.get("generations").items {
		if batch.kind() == '{' { // a list of generations without batches
			if n++; n == 1 {
				first = batch
			}
			continue
		}
		for generation := range batch.items {
			if n++; n == 1 {
				first = generation
			}
		}
	}
	if n > 1 {
		b.severalChoices(n)
	}
	if first.kind() == '{' {
		b.choiceFailed(first)
	}
	if message := first.get("message"); !message.missing() {
		out = b.loggedMessage(message, chat.Assistant)
	} else {
		out = b.logged(first.get("text"), chat.Assistant, what)
	}
	if len(out) == 0 {
		return nil
	}
	e := &out[len(out)-1]
	b.measured(e, first.get("generationinfo").get("finishreason"), value{})
	usage := v.get("llmoutput").get("tokenusage")
	if usage.missing() {
		usage = v.get("llmoutput").get("usage")
	}
	if e.Usage == nil {
		b.measured(e, value{}, usage)
	}
	return out
}
