package checks

import (
	"encoding/json"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/enclosed"
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

// value decodes the document; numbers are json.Number. The result is shared and must not be changed.
func (d *document) value() (any, error) {
	if !d.decoded {
		d.decoded = true
		d.v, d.err = chat.DecodeJSON([]byte(d.text))
	}
	return d.v, d.err
}

// problem returns why the document is not JSON, with the option that would help.
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
