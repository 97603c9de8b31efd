package httpagent

import (
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// Stream starts to read a streamed answer.
func (x *exchange) Stream(call *wire.Call) wire.Decoder { return &stream{exchange: x, call: call} }

// stream is the received part of a streamed answer; see wire.Decoder.
type stream struct {
	*exchange
	call  *wire.Call
	first []byte // the data of the first event, for errors
	ended bool
}

// Event takes one event.
func (s *stream) Event(e wire.Event) (last bool, err error) {
	done := s.p.HTTPAgent.Stream.Done
	if string(e.Data) == done && !e.Cut {
		s.ended = true
		return true, nil
	}
	doc, err := s.call.AnyChunk(&e)
	if err != nil {
		return false, err
	}
	if s.first == nil {
		s.first = append([]byte{}, e.Data...)
	}
	if e.Name == "error" && done != "error" {
		return false, s.call.Reported(e.Data)
	}
	before := s.responseData
	s.call.Came(0)
	if err := s.take(s.call, doc, e.Data); err != nil {
		return false, err
	}
	if len(s.calls) != len(before.calls) || s.usage != before.usage || s.finish != before.finish {
		s.call.Progress()
	}
	text, err := s.piece(doc, e.Data)
	if err != nil {
		return false, err
	}
	s.call.Came(len(text))
	if err := s.call.EmitText(text); err != nil {
		return false, err
	}
	s.ended = e.Name == done && !e.Cut
	return s.ended, nil
}

// piece is the text of an event; "": it has none.
func (s *stream) piece(doc any, data []byte) (string, error) {
	v, err := s.at(s.call, s.p.paths.data, "stream.data", doc, data)
	if err != nil || v == nil {
		return "", err
	}
	text, is := v.(string)
	if !is {
		if list, empty := v.([]any); empty && len(list) == 0 { // of a pattern that matches nothing
			return "", nil
		}
		return "", s.misfit(s.call, data, "a piece of the reply should be a text at %q (stream.data), and there is %s",
			s.p.HTTPAgent.Stream.Data, kindOf(v, false))
	}
	return text, nil
}

// Reply returns the complete reply.
func (s *stream) Reply() (chat.Reply, error) {
	h := s.p.HTTPAgent.Stream
	switch {
	case s.first == nil:
		return chat.Reply{}, s.call.Fail(providers.BadReply, nil, "the stream brought no event of a reply")
	case !s.ended:
		return chat.Reply{}, s.call.Fail(providers.BadReply, nil, "the stream ended before the reply did: no event has the "+
			"data or the name %q (stream.done)", h.Done)
	case s.call.EmittedText() == "" && len(s.calls) == 0:
		return chat.Reply{}, s.misfit(s.call, s.first, "no event of the stream has text at %q (stream.data); the first one "+
			"is", h.Data)
	}
	if text := s.call.EmittedText(); !strings.Contains(text, s.said.refusal) {
		s.call.Dropped("refusal")
	}
	return s.reply(s.call, s.call.EmittedText(), s.first)
}
