package openai

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// stopped is an error of onDelta on its way out.
type stopped struct{ error }

// enough reports whether onDelta ended the stream and wants what came so far.
func enough(err error) bool {
	s, ok := errors.AsType[stopped](err)
	return ok && errors.Is(s.error, providers.ErrEnough)
}

// streamed is a reply as far as it has come in.
type streamed struct {
	last   answer // model and usage as last seen
	text   strings.Builder
	calls  assembler
	finish api.FinishReason
	begun  bool  // a choice was seen
	quiet  error // the cause when no more comes
	// stirred says that the chunk brought something: text, thoughts, a piece of a call, an end, or the first choice.
	stirred bool
}

// stream reads a reply chunk by chunk. It counts only when the model said that it has finished and the stream came to
// its end after that; anything shorter is an error, never a short reply.
func (c *call) stream(body io.Reader) (chat.Reply, error) {
	s := streamed{quiet: silence{c.idle}}
	events := newEvents(body)
	for {
		e, err := events.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return chat.Reply{}, err
		}
		if len(e.data) == 0 { // a keep-alive says that the server is there, and nothing of the reply
			continue
		}
		if string(e.data) == "[DONE]" {
			break
		}
		err = c.chunk(&s, e)
		if enough(err) {
			return chat.Reply{Content: s.text.String(), Model: s.last.Model}, nil
		}
		if err != nil {
			return chat.Reply{}, err
		}
		if s.stirred {
			s.stirred = false
			c.watch.allow(c.idle, &s.quiet)
		}
	}
	switch {
	case !s.begun:
		return chat.Reply{}, c.fail(providers.BadReply, nil, "the reply has no choices: the stream ended without one")
	case s.finish == "":
		return chat.Reply{}, c.fail(providers.BadReply, nil, "the stream ended before the reply did (no finish_reason)")
	}
	return c.finish(&s.last, s.text.String(), &s.calls, s.finish)
}

// chunk adds one chunk and hands its text out.
func (c *call) chunk(s *streamed, e event) error {
	var a answer
	if err := json.Unmarshal(e.data, &a); err != nil {
		if e.cut {
			return io.ErrUnexpectedEOF
		}
		if what := misfit(err); what != "" {
			return c.fail(providers.BadReply, err, "a chunk of the stream does not have the expected form: %s: %s", what,
				c.excerpt(e.data))
		}
		return c.fail(providers.BadReply, err, "a chunk of the stream is not JSON: %s", c.excerpt(e.data))
	}
	if e.name == "error" && !isError(a.Error) {
		return c.reported(e.data)
	}
	if err := c.failed(&a, e.data); err != nil {
		return err
	}
	if a.Model != "" {
		s.last.Model = a.Model
	}
	if a.Usage != nil {
		s.last.Usage = a.Usage
	}
	for i := range a.Choices {
		if a.Choices[i].Index == 0 {
			if err := c.take(s, &a.Choices[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *call) take(s *streamed, ch *choice) error {
	if err := c.broke(ch); err != nil {
		return err
	}
	s.stirred = s.stirred || !s.begun || ch.Finish != "" || ch.Delta.says()
	s.begun = true
	for _, part := range ch.Delta.ToolCalls {
		s.calls.add(part)
	}
	if ch.Finish != "" {
		s.finish = ch.Finish
	}
	text := ch.Delta.Content.text + ch.Delta.Refusal
	if text == "" {
		return nil
	}
	s.text.WriteString(text)
	if c.onDelta == nil {
		return nil
	}
	c.watch.pause() // the server is not to blame for the time that onDelta takes
	if err := c.onDelta(chat.Delta{Text: text}); err != nil {
		c.watch.stop() // nobody pays for words that nobody wants
		return stopped{err}
	}
	s.stirred = true
	return nil
}

// says reports whether a piece of a reply brings something.
func (s *said) says() bool {
	return s.Content.text != "" || s.Refusal != "" || len(s.ToolCalls) > 0 || thought(s.Reasoning) || thought(s.Thoughts)
}

func thought(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", `""`:
		return false
	}
	return true
}
