package openai

import (
	"cmp"
	"encoding/json"

	api "github.com/sashabaranov/go-openai"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// stream is a reply as far as its chunks have come in; see wire.Decoder.
type stream struct {
	exchange
	last   chatResponse // model and usage as last seen
	calls  assembler
	finish api.FinishReason
	begun  bool // a choice was seen

	refused bool
}

// Reply is the reply, when the model said that it has finished.
func (s *stream) Reply() (chat.Reply, error) {
	switch {
	case !s.begun:
		return chat.Reply{}, s.Fail(providers.BadReply, nil, "the reply has no choices: the stream ended without one")
	case s.finish == "":
		return chat.Reply{}, s.Fail(providers.BadReply, nil, "the stream ended before the reply did (no finish_reason)")
	}
	return s.reply(&s.last, s.EmittedText(), &s.calls, s.finish, s.refused)
}

// Event takes one chunk.
func (s *stream) Event(e wire.Event) (last bool, err error) {
	if string(e.Data) == "[DONE]" {
		return true, nil
	}
	var a chatResponse
	if err := s.Chunk(&e, &a); err != nil {
		return false, err
	}
	a.Usage = later(s.last.Usage, a.Usage)
	s.exchange.take(&a)
	s.Filters("prompt_filter_results", a.Asked)
	if e.Name == "error" && !isError(a.Error) {
		return false, s.Reported(e.Data)
	}
	if err := s.failed(&a, e.Data); err != nil {
		return false, err
	}
	if a.Model != "" {
		s.Model, s.last.Model = a.Model, a.Model
	}
	s.last.ID = cmp.Or(s.last.ID, a.ID)
	if a.Usage != nil {
		s.last.Usage = a.Usage
	}
	if a.Choices == nil && a.Usage == nil && (a.ID != "" || a.Model != "" || a.Object != "") {
		s.Lacks("a chunk", "choices")
	}
	for i := range a.Choices {
		if a.Choices[i].Index != 0 {
			s.Dropped(otherChoice)
			continue
		}
		if err := s.take(&a.Choices[i]); err != nil {
			return false, err
		}
	}
	return false, nil
}

// take adds a piece of the reply. The first choice is progress even when it brings nothing: the model has begun.
func (s *stream) take(ch *choice) error {
	if err := s.brokeOff(ch); err != nil {
		return err
	}
	defer func() { // what comes along with the finish reason is before it
		if ch.Finish != "" {
			s.Finished()
		}
	}()
	if ch.Finish != "" {
		s.Ends(string(s.finish), string(ch.Finish))
		s.finish = ch.Finish
	}
	if ch.Delta == nil && (ch.Message.hasContent() || ch.Finish == "" && wire.IsNull(ch.Filters)) {
		s.Lacks("a choice", "delta") // Azure's filters come alone, and so may a finish reason
	}
	d := cmp.Or(ch.Delta, &messageIn{})
	s.drop(d)
	if !s.begun || d.hasContent() {
		s.Progress()
	}
	s.begun, s.refused = true, s.refused || d.refuses()
	for _, part := range d.ToolCalls {
		s.calls.add(part)
	}
	return s.EmitText(d.Content.text + d.Refusal)
}

// hasContent reports whether a piece of a reply brings something.
func (s *messageIn) hasContent() bool {
	return s.Content.text != "" || s.Refusal != "" || len(s.ToolCalls) > 0 ||
		isThought(s.Reasoning) || isThought(s.Thoughts)
}

// isThought reports whether a field with thoughts holds any.
func isThought(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", `""`:
		return false
	}
	return true
}
