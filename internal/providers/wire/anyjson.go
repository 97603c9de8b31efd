package wire

import (
	"encoding/json"
	"io"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
)

// Any decodes a reply of any form that came in one piece, in whatever characters its header names; numbers are
// json.Number. Its error says what is wrong with the reply.
func (c *Call) Any(data []byte) (any, error) {
	text, err := dial.Text(c.Header, data)
	if err != nil {
		return nil, c.settled(err, "%v: %s", err, c.ExcerptOf(data))
	}
	v, err := chat.DecodeJSON(text)
	if err != nil {
		return nil, c.unreadable(text, err)
	}
	return v, c.sure("the reply", text)
}

// AnyChunk is Any for the data of an event, to which it adds the lines that follow when it is only a part.
func (c *Call) AnyChunk(e *Event) (any, error) {
	if !json.Valid(e.Data) && !e.Cut {
		if err := c.events.Rest(e); err != nil {
			return nil, err
		}
	}
	if !utf8.Valid(e.Data) {
		return nil, c.settled(nil, "a chunk of the stream is not UTF-8: %s", c.ExcerptOf(e.Data))
	}
	v, err := chat.DecodeJSON(e.Data)
	switch {
	case err != nil && e.Cut:
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, c.Fail(providers.BadReply, err, "a chunk of the stream is not JSON: %s", c.ExcerptOf(e.Data))
	}
	return v, c.sure("a chunk of the stream", e.Data)
}

// sure refuses a document that has a key twice.
func (c *Call) sure(what string, data []byte) error {
	if key, twice := jsonvalue.KeyTwiceAsWritten(data); twice {
		return c.settled(nil, "%s has the key %q twice in one object, and it is not known which one holds: %s", what,
			c.Excerpt(key), c.ExcerptOf(data))
	}
	return nil
}
