package recording

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// Observability tools log whatever a program hands over: a text, messages of some API or framework, a complete request
// or a complete response.

// logged reads the input or the output of a call as messages. Messages without a role get the given one. Other forms
// are refused, because they may hold tool calls.
func (b *builder) logged(v value, role chat.Role, what string) []event {
	if inner := nestedJSON(v); inner.kind() != v.kind() {
		if key, _, duplicate := duplicateKey(inner); duplicate {
			b.badMessage = true
			b.errorf(v, "duplicate-key", "%s: an object has the key %q twice", what, cutText(key, 40))
			return nil
		}
		v = inner
	}
	switch v.kind() {
	case 0, 'n':
		return nil
	case '[':
		return b.loggedList(v, role, what)
	case '{':
		return b.loggedObject(v, role, what)
	}
	text, _ := v.scalar()
	if text == hiddenText {
		b.hidden(v, what)
		return nil
	}
	return []event{{Message: Message{Message: chat.Message{Role: role, Content: text}, Offset: -1, Pos: b.pos(v)}}}
}

func (b *builder) hidden(v value, what string) {
	b.badMessage = true
	b.errorf(v, "lost-message", "%s was hidden by the instrumentation, so it cannot be judged", what).
		Hint = "configure the instrumentation to record inputs and outputs"
}

func (b *builder) loggedList(v value, role chat.Role, what string) (out []event) {
	var kinds []byte
	parts := 0
	for item := range v.items {
		kinds = append(kinds, item.kind())
		if isPart(item) {
			parts++
		}
	}
	switch {
	case len(kinds) == 0:
		return nil
	case parts == len(kinds): // the content of one message
		return b.splitMessage(object{v, map[string]value{"content": v}}, b.pos(v), role)
	case len(kinds) == 1 && kinds[0] == '[': // a list with one prompt
		for item := range v.items {
			return b.loggedList(item, role, what)
		}
	case slices.ContainsFunc(kinds, func(k byte) bool { return k != '{' }):
		if len(kinds) == 1 && kinds[0] == '"' {
			for item := range v.items {
				return b.logged(item, role, what)
			}
		}
		b.unknownForm(v, what)
		return nil
	}
	for item := range v.items {
		out = append(out, b.loggedMessage(item, role)...)
	}
	return out
}

// isPart reports whether a value is a part of a message, and not a message.
func isPart(v value) bool {
	if !v.get("role").missing() {
		return false
	}
	switch kind, _ := v.get("type").str(); kind {
	case "text", "input_text", "output_text", "image", "image_url", "input_image", "tool_use", "tool_result", "tool_call",
		"thinking":
		return v.get("kwargs").missing() && v.get("args").missing()
	}
	return false
}

// wrappers are the names of members that may hold the whole input or output.
var wrappers = []string{
	"input", "output", "inputs", "outputs", "text", "question", "query", "answer", "response", "result", "completion",
	"prompt", "prompts", "reply", "value", "message",
}

func (b *builder) loggedObject(v value, role chat.Role, what string) []event {
	switch {
	case v.get("messages").kind() == '[':
		var out []event
		if system := v.get("system"); !system.missing() {
			out = b.logged(system, chat.System, what)
		}
		out = append(out, b.loggedList(v.get("messages"), role, what)...)
		if !v.get("choices").missing() {
			b.unknownForm(v, what)
		}
		return out
	case v.get("choices").kind() == '[':
		return b.loggedChoices(v)
	case v.get("generations").kind() == '[':
		return b.generations(v, what)
	case isMessage(v):
		return b.loggedMessage(v, role)
	case isResponse(v):
		return b.responseItems(v.get("output"), chat.Assistant)
	case !v.get("input").missing() && !v.get("model").missing():
		out := b.logged(v.get("instructions"), chat.System, what)
		return append(out, b.logged(v.get("input"), role, what)...)
	}
	if inner := onlyMember(v); !inner.missing() {
		return b.logged(inner, role, what)
	}
	b.unknownForm(v, what)
	return nil
}

// onlyMember returns the only member of an object that has content, if its name is one of wrappers.
func onlyMember(v value) (only value) {
	for key, member := range v.members {
		if isEmpty(member) {
			continue
		}
		if only.kind() != 0 || !slices.Contains(wrappers, foldKey(key)) {
			return value{}
		}
		only = member
	}
	return only
}

func (b *builder) unknownForm(v value, what string) {
	b.badMessage = true
	h := &head{kind: v.kind()}
	h.readKeys(v)
	form := "a list of other things than messages"
	if v.kind() == '{' {
		form = "an object with the keys " + h.keysText()
	}
	b.errorf(v, "unknown-form", "%s holds no messages in a form that arena knows: %s", what, form).
		Hint = "arena reads texts, messages of chat APIs and of LangChain, and requests and responses of chat APIs"
}

// isMessage reports whether an object is a message in any form.
func isMessage(v value) bool {
	if !v.get("role").missing() || !v.get("content").missing() || !v.get("toolcalls").missing() {
		return true
	}
	kind, _ := v.get("type").str()
	switch {
	case kind == "constructor":
		return !v.get("kwargs").missing()
	case chainRole(kind) != "":
		return true
	case isItem(kind):
		return true
	}
	return false
}

// loggedMessage reads one message of a chat API or of LangChain, or an item of a response.
func (b *builder) loggedMessage(v value, role chat.Role) []event {
	kind, _ := v.get("type").str()
	switch {
	case kind == "constructor" && v.get("kwargs").kind() == '{':
		return b.chainMessage(v.get("kwargs"), constructorRole(v), v)
	case chainRole(kind) != "" && v.get("data").kind() == '{':
		return b.chainMessage(v.get("data"), chainRole(kind), v)
	case chainRole(kind) != "" && v.get("role").missing():
		return b.chainMessage(v, chainRole(kind), v)
	case isItem(kind):
		return b.responseItem(v, kind)
	case !v.get("additionalkwargs").missing():
		word, _ := v.get("role").str()
		return b.chainMessage(v, plainRole(word), v)
	}
	o, ok := b.object(v, "a message")
	if !ok {
		b.badMessage = true
		return nil
	}
	b.refuseHidden(o)
	return b.splitMessage(o, b.pos(v), role)
}

// refuseHidden refuses a message with hidden content.
func (b *builder) refuseHidden(o object) {
	if text, _ := o.get("content").str(); text == hiddenText {
		b.hidden(o.value, "the content of a message")
	}
}

// loggedChoices reads the first choice of a response, with its usage.
func (b *builder) loggedChoices(v value) (out []event) {
	n := 0
	for choice := range v.get("choices").items {
		if n++; n > 1 {
			continue
		}
		b.choiceFailed(choice)
		message := choice.get("message")
		if message.missing() {
			message = choice.get("text")
		}
		out = b.logged(message, chat.Assistant, "a choice")
		if len(out) > 0 {
			b.measured(&out[len(out)-1], choice.get("finishreason"), v.get("usage").or(v.get("usagemetadata")))
		}
	}
	if n > 1 {
		b.severalChoices(n)
	}
	return out
}

// measured sets finish reason and usage of a reply.
func (b *builder) measured(e *event, reason, usage value) {
	if word := b.text(reason, "finish_reason"); word != "" && chat.Complete(e.FinishReason) {
		e.FinishReason = word
	}
	if usage.kind() == '{' && e.Role == chat.Assistant {
		b.cost(&e.Message.Message, usage)
	}
}

// plainRole is the role of a word in any case; "" when it is none.
func plainRole(word string) chat.Role {
	role, _ := chat.ParseRole(strings.TrimSpace(word))
	return role
}
