package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dial"
)

// characters returns the data of an event as UTF-8, decoded by the charset in the header of the reply. Data of another
// charset is refused: decoders would replace the bytes, and checks would not find the words.
func (c *Call) characters(e *Event) ([]byte, error) {
	if c.declared == nil {
		c.declared = new(dial.Declared(c.Header))
	}
	if !*c.declared && utf8.Valid(e.Data) {
		return e.Data, nil
	}
	text, err := dial.Text(c.Header, e.Data)
	switch {
	case err == nil:
		return text, nil
	case e.Cut:
		return nil, io.ErrUnexpectedEOF
	case *c.declared:
		return nil, c.settled(err, "%v: %s", err, c.ExcerptOf(e.Data))
	}
	return nil, c.settled(nil, "a chunk of the stream is not UTF-8: %s", c.ExcerptOf(e.Data))
}

const lostSign = "\uFFFD"

// lostCharacters reports whether a reply holds U+FFFD, which programs write in place of bytes that they cannot decode.
func lostCharacters(r *chat.Reply) bool {
	if strings.Contains(r.Content, lostSign) {
		return true
	}
	for i := range r.ToolCalls {
		args, err := json.Marshal(r.ToolCalls[i].Args)
		if err == nil && bytes.Contains(args, []byte(lostSign)) || strings.Contains(r.ToolCalls[i].BadArgs, lostSign) {
			return true
		}
	}
	return false
}
