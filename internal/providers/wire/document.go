package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
)

// isDocument reports whether the response to a streamed request is one document: an error, a page, or the reply of a
// server that does not stream.
func isDocument(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return false
	}
	return kind == "application/json" || kind == "text/html" || strings.HasSuffix(kind, "+json")
}

// Document decodes a reply that is not streamed. Its error says what is wrong with the reply.
func (c *Call) Document(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return c.unreadable(data, err)
	}
	c.besides(data)
	return c.noKeyTwice("the reply", data, jsonvalue.KeyTwiceInReply)
}

// noKeyTwice refuses a document in which find finds a duplicate key: decoders would take the last value.
func (c *Call) noKeyTwice(what string, data []byte, find func([]byte) (key string, twice bool)) error {
	if key, duplicate := find(data); duplicate {
		return c.settled(nil, "%s has the key %q twice in one object, and it is not known which one holds: %s", what,
			c.Excerpt(key), c.ExcerptOf(data))
	}
	return nil
}

// Chunk decodes the data of an event. If the data is only a part of a document, it adds the following lines. Its error
// says what is wrong with the data.
func (c *Call) Chunk(e *Event, into any) error {
	data, unclear := c.characters(e)
	if unclear != nil {
		return unclear
	}
	err := json.Unmarshal(data, into)
	if err != nil && !e.Cut && jsonvalue.Mismatch(err) == "" {
		if err := c.events.Rest(e); err != nil {
			return err
		}
		if data, unclear = c.characters(e); unclear != nil {
			return unclear
		}
		err = json.Unmarshal(data, into)
	}
	switch {
	case err == nil:
		c.besides(data)
		return c.noKeyTwice("a chunk of the stream", data, jsonvalue.KeyTwiceInReply)
	case e.Cut:
		return io.ErrUnexpectedEOF
	case jsonvalue.Mismatch(err) != "":
		return c.settled(err, "a chunk of the stream does not have the expected form: %s: %s", jsonvalue.Mismatch(err),
			c.ExcerptOf(e.Data))
	}
	return c.Fail(providers.BadReply, err, "a chunk of the stream is not JSON: %s", c.ExcerptOf(e.Data))
}

// unreadable is the error of a successful response that is not JSON.
func (c *Call) unreadable(data []byte, err error) error {
	switch text := bytes.TrimSpace(data); {
	case len(text) == 0:
		return c.Fail(providers.BadReply, err, "the reply is empty; check %s %s", c.endpoint.setting(), c.shown)
	case text[0] == '<':
		return c.Fail(providers.BadReply, err, "the reply is an HTML page, not JSON; check %s %s: %s",
			c.endpoint.setting(), c.shown, c.ExcerptOf(text))
	case jsonvalue.Mismatch(err) != "":
		return c.settled(err, "the reply does not have the expected form: %s: %s", jsonvalue.Mismatch(err), c.ExcerptOf(text))
	default:
		return c.Fail(providers.BadReply, err, "the reply is not valid JSON, or only a part of it; check %s %s: %s",
			c.endpoint.setting(), c.shown, c.ExcerptOf(text))
	}
}

// Address is the address of the call, for messages.
func (c *Call) Address() string { return c.shown }

// settled returns a final error for a complete but useless reply: another call would cost money and return the same.
func (c *Call) settled(cause error, format string, args ...any) *providers.Error {
	failed := c.Fail(providers.BadReply, cause, format, args...)
	failed.Settled = true
	return failed
}
