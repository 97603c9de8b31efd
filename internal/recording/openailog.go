package recording

import (
	"fmt"
	"iter"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// Objects of OpenAI's APIs as they are logged: responses, also beside their requests, and stored chat completions.

func isOpenAILog(h *head) bool {
	if h.has("messages") || h.has("customid") {
		return false
	}
	if request := h.keys["request"]; h.has("response") && !request.missing() {
		request = body(request)
		return !request.get("input").missing() && request.get("messages").missing()
	}
	kind, _ := h.keys["object"].str()
	if kind == "list" {
		for item := range h.keys["data"].items {
			kind, _ = item.get("object").str()
			break
		}
	}
	return kind == "response" || kind == "chat.completion"
}

// scanOpenAILog joins responses that continue each other to one conversation.
func scanOpenAILog(s *scan) {
	n := 0
	keys := map[string]string{} // of conversations, by the ids of their responses
	s.records(func(doc value) value {
		if more, _ := doc.get("hasmore").scalar(); more == "true" {
			s.notef("this is a page of a list, and there are more")
		}
		return doc.get("data")
	}, func(v value, p span) {
		response := v
		if inner := v.get("response"); inner.kind() == '{' && !v.get("request").missing() {
			response = body(inner)
		}
		id, _ := response.get("id").str()
		switch kind, _ := response.get("object").str(); {
		case kind == "chat.completion" || response.kind() == '{' && !response.get("error").missing():
		case kind != "response":
			s.otherRecord(p, "responses or chat completions")
			return
		}
		n++
		key := fmt.Sprint(n)
		if before, ok := response.get("previousresponseid").str(); ok {
			if key = keys[before]; key == "" {
				s.errorf(s.pos(p), "lost-message", "the response goes on with %q, which is not before it in the file",
					cutText(before, 40)).Hint = "put all responses of a conversation into the file, in their order"
				return
			}
		}
		if id != "" {
			keys[id] = key
		}
		s.add(key, p)
	})
}

func readOpenAILog(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		o, ok := b.object(p.value, "a record")
		if !ok {
			return
		}
		if request := o.get("request"); !request.missing() {
			b.newInput(body(request))
			b.responseBody(body(o.get("response")))
			continue
		}
		if b.session.ID == "" {
			b.session.ID = b.text(o.get("id"), "id")
		}
		if input := o.get("input"); !input.missing() {
			b.newInput(p.value)
		}
		if instructions, ok := o.get("instructions").str(); ok {
			b.prompt(instructions, o.get("instructions"))
		}
		b.chatMetadata(o.get("metadata"))
		b.responseBody(p.value)
	}
}

// newInput adds the new messages of a request. A request that continues a response has only new ones.
func (b *builder) newInput(request value) {
	input := oneReply(b.logged(request.get("input"), chat.User, "the input"))
	if instructions, ok := request.get("instructions").str(); ok {
		b.prompt(instructions, request.get("instructions"))
	}
	for _, e := range input {
		b.add(e)
	}
}

// responseObject reads the output of a response with its usage.
func (b *builder) responseObject(o object) {
	b.checkTexts(o, "a response", responseFieldNames())
	output := oneReply(b.responseItems(o.get("output"), chat.Assistant))
	if len(output) > 0 {
		e := &output[len(output)-1]
		b.measured(e, value{}, o.get("usage"))
		if why, ok := o.get("incompletedetails").get("reason").str(); ok {
			e.FinishReason = why
		} else if status, _ := o.get("status").str(); status == "incomplete" {
			e.FinishReason = status
		}
		b.sameText(o.get("outputtext"), output)
		for i := range output[:len(output)-1] { // the usage is set on the last
			if output[i].Role == chat.Assistant && e.Usage != nil {
				output[i].Usage = &chat.Usage{}
			}
		}
	}
	for _, e := range output {
		b.add(e)
	}
	status, _ := o.get("status").str()
	switch {
	case b.session.Error != "" || b.badMessage:
	case chat.BrokeOff(status) || isUnfinished(status) && status != "incomplete":
		b.session.Error = fmt.Sprintf("the response is %s", status)
	case len(output) == 0:
		b.errorf(o.value, "missing-content", "the response has no output")
	}
}

// sameText refuses a response whose text differs from its items: it is unknown which of them the user got.
func (b *builder) sameText(text value, output []event) {
	var reply strings.Builder
	for i := range output {
		if output[i].Role == chat.Assistant {
			reply.WriteString(output[i].Content)
		}
	}
	if whole, _ := text.str(); whole != "" && plainWords(whole) != plainWords(reply.String()) {
		b.errorf(text, "two-replies", "output_text says something else than the output").
			Hint = "keep the one that was given"
	}
}

var responseFieldNames = newLazyFields(`id object created_at completed_at status background error incomplete_details
	instructions model output output_text parallel_tool_calls previous_response_id prompt prompt_cache_key
	prompt_cache_retention reasoning safety_identifier service_tier store text tool_choice tools truncation usage user
	metadata billing conversation input content_filters moderation include stream`)
