package recording

import (
	"fmt"
	"iter"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
)

// Batches of OpenAI and of Anthropic: each line is a reply with the custom_id of its request. The requests are in
// another file, which may be prepended.

func isBatch(h *head) bool {
	return h.has("customid") && (h.has("response") && !h.has("request") || h.has("result") || h.has("url", "body"))
}

// batchPair is the positions of a request and its reply; line 0: missing.
type batchPair struct{ request, replied span }

func scanBatch(s *scan) {
	pairs := map[string]*batchPair{}
	var order []string
	s.records(nil, func(v value, p span) {
		id, ok := v.get("customid").str()
		isRequest := !v.get("body").missing()
		if !ok || !isRequest && v.get("response").kind() == 0 && v.get("result").kind() == 0 {
			s.otherRecord(p, "a custom_id with a request or a reply")
			return
		}
		pair := pairs[id]
		if pair == nil {
			pair = &batchPair{}
			pairs[id], order = pair, append(order, id)
		}
		at, what := &pair.replied, "reply to"
		if isRequest {
			at, what = &pair.request, "request"
		}
		if at.line > 0 {
			s.errorf(s.pos(p), "duplicate-trial", "the %s %q is there twice", what, cutText(id, 40))
		}
		*at = p
	})
	alone := 0
	for _, id := range order {
		pair := pairs[id]
		switch {
		case pair.replied.line == 0 && !s.full():
			s.errorf(s.pos(pair.request), "missing-content", "the request %q has no reply in the file", cutText(id, 40)).
				Hint = "judge the output of the batch, or both files joined: cat input.jsonl output.jsonl"
			continue
		case pair.request.line == 0:
			alone++
		default:
			s.add(id, pair.request)
		}
		s.add(id, pair.replied)
	}
	if alone > 0 {
		s.notef("%s without a request, which is in the input of the batch: cat input.jsonl output.jsonl holds both",
			plural.Of(alone, "reply", "replies"))
	}
}

func readBatch(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		o, ok := b.object(p.value, "a record of a batch")
		if !ok {
			return
		}
		b.session.ID = b.text(o.get("customid"), "custom_id")
		if body := o.get("body"); !body.missing() {
			b.batchRequest(body)
			continue
		}
		b.batchReply(o)
		if len(b.events) == 0 && b.session.Error != "" { // nothing was said
			b.add(event{Message: Message{Message: chat.Message{Role: chat.Assistant}, Offset: -1, Pos: b.pos(p.value)}})
		}
	}
}

// batchRequest reads the body of a request to the chat completions or the Responses API.
func (b *builder) batchRequest(body value) {
	o, ok := b.object(body, "body")
	if !ok {
		return
	}
	b.session.Model = b.text(o.get("model"), "model")
	if o.get("messages").missing() && o.get("input").missing() {
		b.errorf(body, "missing-content", "the request holds neither messages nor an input")
		return
	}
	for _, e := range oneReply(b.logged(body, chat.User, "the request")) {
		b.add(e)
	}
}

func (b *builder) batchReply(o object) {
	s := b.session
	if result := o.get("result"); !result.missing() { // of Anthropic
		kind, _ := result.get("type").str()
		switch message := result.get("message"); {
		case !message.missing():
			b.responseBody(message)
		default:
			s.Error = fmt.Sprintf("the request of the batch ended as %q", kind)
			if text := b.failure(result.get("error").get("error").or(result.get("error"))); text != "" {
				s.Error = text
			}
		}
		return
	}
	if b.failed("", b.failureIn(o)); s.Error != "" {
		return
	}
	response := o.get("response")
	status, _ := response.get("statuscode").number()
	if status >= 400 {
		if s.Error = b.failure(response.get("body").get("error")); s.Error == "" {
			s.Error = fmt.Sprintf("the server answered with status %.0f", status)
		}
		return
	}
	b.responseBody(response.get("body"))
}

// responseBody reads the response of either API.
func (b *builder) responseBody(v value) {
	o, ok := b.object(v, "the response")
	if !ok {
		return
	}
	s := b.session
	if model := b.text(o.get("model"), "model"); model != "" {
		s.Model = model
	}
	if isResponse(v) {
		if failure := b.failureIn(o); b.stopReason(o) != "incomplete" || b.errorIn(o) != "" {
			b.failed("", failure)
		}
		b.responseObject(o)
		return
	}
	b.choices(o)
}
