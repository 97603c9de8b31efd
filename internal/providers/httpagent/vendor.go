package httpagent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// Many endpoints pass on the answer of a model as its vendor writes it. Such an answer says beside its text why it
// ended, and may hold a refusal or a second text; the file need not name these places.

// spoken is what an answer in the form of a vendor says.
type spoken struct {
	root    string   // the field that holds all of it; "": the answer has none of these forms
	finish  string   // why it ended, in the vendor's word
	texts   []string // pieces of the reply
	refusal string
}

// vendor takes what an answer, or an event of a stream, in the form of a vendor says beside its text.
func (x *exchange) vendor(call *wire.Call, doc any, data []byte) error {
	fields, _ := doc.(jsonvalue.Object)
	var s spoken
	var err error
	switch {
	case hasObject(fields["choices"], "message", "delta", "error"):
		s, err = x.choices(call, fields)
	case hasObject(fields["candidates"], "content", "finishReason") ||
		object(fields["promptFeedback"])["blockReason"] != nil:
		s = candidates(call, fields)
	case hasObject(fields["output"], "type") && fields["status"] != nil:
		s = response(call, fields)
	case strings.HasPrefix(word(fields["type"]), "response."):
		s = response(call, object(fields["response"]))
		if fields["type"] == "response.refusal.delta" {
			s.refusal = word(fields["delta"])
		}
	case fields["type"] == "message" && hasObject(fields["content"], "type"):
		s = message(call, fields)
	case fields["type"] == "message_delta":
		s.finish = word(object(fields["delta"])["stop_reason"])
	}
	if err != nil {
		return err
	}
	if chat.BrokeOff(s.finish) {
		return x.misfit(call, data, "the endpoint broke the reply off (%s)", call.Excerpt(s.finish))
	}
	if s.finish != "" {
		x.finish = chat.FinishOf(s.finish)
	}
	s.refusal = x.said.refusal + s.refusal
	x.said = s
	return nil
}

// choices reads an answer in the form of chat completions.
func (x *exchange) choices(call *wire.Call, fields jsonvalue.Object) (s spoken, err error) {
	list := objects(fields["choices"])
	at := slices.IndexFunc(list, func(c jsonvalue.Object) bool {
		n, is := jsonvalue.Float(c["index"])
		return is &&
			n == 0
	})
	if _, numbered := jsonvalue.Float(list[0]["index"]); len(list) > 1 || at < 0 && numbered {
		call.Dropped("another choice")
		if at < 0 && numbered { // an event of that choice
			return spoken{}, nil
		}
	}
	first := list[max(at, 0)]
	if failure.Indicates(first["error"]) {
		return s, x.reported(call, first["error"])
	}
	said := object(first["message"])
	if said == nil {
		said = object(first["delta"])
	}
	call.Filters("prompt_filter_results", raw(fields["prompt_filter_results"]))
	call.Filters("content_filter_results", raw(first["content_filter_results"]))
	call.Says("native_finish_reason", word(first["native_finish_reason"]))
	call.Role(word(said["role"]))
	call.Beside("audio", raw(said["audio"]))
	call.Beside("images", raw(said["images"]))
	s = spoken{root: "choices", finish: word(first["finish_reason"]), refusal: word(said["refusal"])}
	if text := word(said["content"]); text != "" {
		s.texts = []string{text}
	}
	s.parts(call, said["content"])
	return s, nil
}

// response reads an answer in the form of OpenAI's Responses.
func response(call *wire.Call, fields jsonvalue.Object) (s spoken) {
	s.root = "output"
	switch status := word(fields["status"]); status {
	case "completed":
		s.finish = "stop"
	case "incomplete":
		if s.finish = word(object(fields["incomplete_details"])["reason"]); s.finish == "" {
			s.finish = status
		}
	case "failed", "cancelled":
		s.finish = status
	}
	for _, item := range objects(fields["output"]) {
		if item["type"] == "message" {
			call.Role(word(item["role"]))
			s.parts(call, item["content"])
		}
	}
	return s
}

// message reads an answer in the form of Anthropic's messages.
func message(call *wire.Call, fields jsonvalue.Object) (s spoken) {
	call.Role(word(fields["role"]))
	s.root, s.finish = "content", word(fields["stop_reason"])
	s.parts(call, fields["content"])
	return s
}

// candidates reads an answer in the form of Gemini.
func candidates(call *wire.Call, fields jsonvalue.Object) (s spoken) {
	s.root = "candidates"
	list := objects(fields["candidates"])
	if len(list) > 1 {
		call.Dropped("another candidate")
	}
	if len(list) > 0 {
		s.finish = word(list[0]["finishReason"])
		if strings.HasPrefix(s.finish, "IMAGE_") {
			s.finish = "content_filter"
		}
		content := object(list[0]["content"])
		call.Role(word(content["role"]))
		s.parts(call, content["parts"])
	}
	if object(fields["promptFeedback"])["blockReason"] != nil {
		s.finish = "content_filter"
	}
	return s
}

// parts takes the texts and refusals of a list of parts, without thoughts.
func (s *spoken) parts(call *wire.Call, list any) {
	for _, part := range objects(list) {
		switch part["type"] {
		case nil, "text", "output_text", "refusal":
		default:
			continue
		}
		if text := word(part["text"]); !blank(text) && part["thought"] != true {
			s.texts = append(s.texts, text)
		}
		s.refusal += word(part["refusal"])
	}
}

// whole is the text of a reply with what stands elsewhere in the answer: a refusal is what the model says, too.
func (x *exchange) whole(call *wire.Call, text string) string {
	s := &x.said
	if s.root == "" || x.p.Reply != "" && !strings.HasPrefix(strings.TrimLeft(x.p.Reply, "$.["+`"'`), s.root) {
		return text
	}
	at, out := false, false
	for _, piece := range s.texts {
		has := strings.Contains(text, piece)
		at = at || has || !blank(text) && strings.Contains(piece, text)
		out = out || !has && !strings.Contains(piece, text)
	}
	switch {
	case len(s.texts) > 0 && !at && text != s.refusal:
		call.Elsewhere(fmt.Sprintf("is what stands at %q, and the answer says another text in %s", x.p.Reply, s.root))
	case out:
		call.Dropped("another text in " + s.root)
	}
	if !strings.Contains(text, s.refusal) {
		text += s.refusal
	}
	return text
}

// object is a value as an object; nil: it is none.
func object(v any) jsonvalue.Object {
	o, _ := v.(jsonvalue.Object)
	return o
}

// hasObject reports whether a value is a list whose first object has one of some fields. Other lists of the same name
// are the endpoint's own, such as choices that a user is offered.
func hasObject(v any, names ...string) bool {
	list := objects(v)
	return list != nil && slices.ContainsFunc(names, func(name string) bool { return list[0][name] != nil })
}

// objects is a value as a list of objects; nil: it is none, or empty.
func objects(v any) (out []jsonvalue.Object) {
	list, _ := v.([]any)
	for _, item := range list {
		if o := object(item); o != nil {
			out = append(out, o)
		}
	}
	return out
}

// word is a value as a text; "": it is none.
func word(v any) string {
	text, _ := v.(string)
	return text
}

// raw is a value as JSON.
func raw(v any) []byte { return []byte(jsonvalue.Compact(v)) }
