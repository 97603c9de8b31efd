package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"

	"github.com/arena-evals/arena/internal/providers"
)

// isDocument reports whether the answer to a streamed request is one document: an error, a page, or the reply of a
// server that does not stream.
func isDocument(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return false
	}
	return kind == "application/json" || kind == "text/html" || strings.HasSuffix(kind, "+json")
}

// Document decodes a reply that came in one piece. Its error says what is wrong with the reply.
func (c *Call) Document(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return c.unreadable(data, err)
	}
	return nil
}

// Chunk decodes the data of an event, to which it adds the lines that follow when it is only a part. Its error says
// what is wrong with it.
func (c *Call) Chunk(e *Event, into any) error {
	err := json.Unmarshal(e.Data, into)
	if err != nil && !e.Cut && typeMismatch(err) == "" {
		if err := c.events.rest(e); err != nil {
			return err
		}
		err = json.Unmarshal(e.Data, into)
	}
	switch {
	case err == nil:
		return nil
	case e.Cut:
		return io.ErrUnexpectedEOF
	case typeMismatch(err) != "":
		return c.settled(err, "a chunk of the stream does not have the expected form: %s: %s", typeMismatch(err),
			c.ExcerptOf(e.Data))
	}
	return c.Fail(providers.BadReply, err, "a chunk of the stream is not JSON: %s", c.ExcerptOf(e.Data))
}

// unreadable is a reply with a good status that is not JSON.
func (c *Call) unreadable(data []byte, err error) error {
	switch text := bytes.TrimSpace(data); {
	case len(text) == 0:
		return c.Fail(providers.BadReply, err, "the reply is empty")
	case text[0] == '<':
		return c.Fail(providers.BadReply, err, "the reply is an HTML page, not JSON; check base_url %s: %s",
			c.shown, c.ExcerptOf(text))
	case typeMismatch(err) != "":
		return c.settled(err, "the reply does not have the expected form: %s: %s", typeMismatch(err), c.ExcerptOf(text))
	default:
		return c.Fail(providers.BadReply, err, "the reply is not valid JSON, or only a part of it: %s", c.ExcerptOf(text))
	}
}

// settled is a reply that came whole and is of no use: to ask for it again and again would change nothing, and cost.
func (c *Call) settled(cause error, format string, args ...any) *providers.Error {
	failed := c.Fail(providers.BadReply, cause, format, args...)
	failed.Settled = true
	return failed
}

// typeMismatch says what of a document of JSON is of another type than it must be; "" when that is not what is wrong.
func typeMismatch(err error) string {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return ""
	}
	what, expected := wrong.Field, "an object"
	if what == "" {
		what = "all of it"
	}
	switch wrong.Type.Kind() {
	case reflect.Slice:
		expected = "a list"
	case reflect.String:
		expected = "text"
	case reflect.Int:
		expected = "a whole number"
	case reflect.Float64:
		expected = "a number"
	default:
	}
	kind, literal, _ := strings.Cut(wrong.Value, " ")
	found := map[string]string{
		"array": "a list", "string": "text", "bool": "true or false", "object": "an object", "number": "a number",
	}[kind]
	if literal != "" && len(literal) <= 40 {
		found = literal
	}
	return fmt.Sprintf("%s must be %s, found %s", what, expected, found)
}
