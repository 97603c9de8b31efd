package wire

import (
	"encoding/json"
	"io"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
)

// Any decodes a reply of any JSON form that is not streamed; numbers are json.Number. Its error says what is wrong with
// the reply.
func (c *Call) Any(data []byte) (any, error) {
	v, err := chat.DecodeJSON(data)
	if err != nil {
		return nil, c.unreadable(data, err)
	}
	return v, c.noKeyTwice("the reply", data, jsonvalue.KeyTwiceAsWritten)
}

// AnyChunk is Any for the data of an event. If the data is only a part of a document, it adds the following lines.
func (c *Call) AnyChunk(e *Event) (any, error) {
	if !json.Valid(e.Data) && !e.Cut {
		if err := c.events.Rest(e); err != nil {
			return nil, err
		}
	}
	data, err := c.characters(e)
	if err != nil {
		return nil, err
	}
	v, err := chat.DecodeJSON(data)
	switch {
	case err != nil && e.Cut:
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, c.Fail(providers.BadReply, err, "a chunk of the stream is not JSON: %s", c.ExcerptOf(e.Data))
	}
	return v, c.noKeyTwice("a chunk of the stream", data, jsonvalue.KeyTwiceAsWritten)
}
