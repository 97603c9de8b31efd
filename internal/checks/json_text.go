package checks

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/enclosed"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/say"
)

// jsonOptions say where the JSON in a reply may be. All JSON checks have them.
type jsonOptions struct {
	AllowWrapped bool `param:"allow_wrapped" default:"false" doc:"Take the content of the first code fence, if any."`
	ExtractJSON  bool `param:"extract_json" default:"false" doc:"Look for the first JSON object or array in the text."`
}

// document is the JSON of a reply, found with some options.
type document struct {
	text  string
	valid bool

	decoded bool
	v       any
	err     error
}

// document finds the JSON in the last reply, once for each combination of options.
func (s *Subject) document(o jsonOptions) *document {
	at := 0
	if o.AllowWrapped {
		at |= 1
	}
	if o.ExtractJSON {
		at |= 2
	}
	if s.documents[at] == nil {
		text := jsonText(s.Output(), o)
		s.documents[at] = &document{text: text, valid: json.Valid([]byte(text))}
	}
	return s.documents[at]
}

// value decodes the document; numbers are json.Number. The result is shared and must not be changed. An unclearError
// says that the content is ambiguous.
func (d *document) value() (any, error) {
	if !d.decoded {
		d.decoded = true
		d.v, d.err = decodeSaid(d.text)
	}
	return d.v, d.err
}

// unclearError says why JSON of a model cannot be judged: it is ambiguous, or arena cannot read it. It is an error of
// every check of that JSON, whether the check requires or forbids something.
type unclearError struct{ text string }

func (e unclearError) Error() string { return e.text }

// decodeSaid decodes JSON that a model wrote.
func decodeSaid(text string) (any, error) {
	v, err := chat.DecodeJSON([]byte(text))
	if errors.Is(err, chat.ErrDeep) {
		return nil, errDeepReply
	}
	if err != nil {
		return nil, err
	}
	if err := ambiguous(text); err != nil {
		return nil, err
	}
	return v, nil
}

var errDeepReply = unclearError{"the JSON in the reply cannot be read: " + chat.ErrDeep.Error()}

// ambiguous is the error of JSON with a duplicate key in an object: some readers use the first value, others the last.
func ambiguous(text string) error {
	if key, twice := jsonvalue.KeyTwiceAsWritten([]byte(text)); twice {
		return unclearError{"the JSON in the reply has the key " + say.Quote(key) +
			" twice in one object, and it is not known which one holds"}
	}
	return nil
}

// readable returns an unclearError for valid JSON that cannot be judged, without decoding it.
func readable(text string) error {
	if jsonvalue.Deeper([]byte(text), chat.MaxNesting) {
		return errDeepReply
	}
	return ambiguous(text)
}

// problem returns why the document is not JSON, with a hint if an option would help.
func (d *document) problem(o jsonOptions) string {
	if strings.TrimSpace(d.text) == "" {
		return "the reply is empty"
	}
	_, err := d.value()
	text := "not valid JSON"
	if err != nil {
		text += ": " + err.Error()
	}
	return text + wrapOption{o.AllowWrapped}.hint(d.text)
}

// jsonText returns the part of a text that should be JSON.
func jsonText(text string, o jsonOptions) string {
	if o.AllowWrapped {
		if inner, ok := enclosed.Block(text, "json"); ok {
			return inner
		}
	}
	if o.ExtractJSON && !json.Valid([]byte(text)) {
		if inner, ok := enclosed.FirstJSON(text); ok {
			return inner
		}
	}
	return text
}
