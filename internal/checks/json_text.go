package checks

import (
	"encoding/json"
	"iter"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// jsonOptions say where in a reply the JSON may be. They are parameters of every JSON check.
type jsonOptions struct {
	AllowWrapped bool `param:"allow_wrapped" default:"false" doc:"Take the content of the first code fence, if any."`
	ExtractJSON  bool `param:"extract_json" default:"false" doc:"Look for the first JSON object or array in the text."`
}

// document is the JSON of a reply under one combination of options.
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

// problem says why the document is not JSON, with the option that would help.
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

// jsonText is the part of a text that is to be JSON.
func jsonText(text string, o jsonOptions) string {
	if o.AllowWrapped {
		if inner, ok := fenced(text, "json"); ok {
			return inner
		}
	}
	if o.ExtractJSON && !json.Valid([]byte(text)) {
		if inner, ok := embedded(text); ok {
			return inner
		}
	}
	return text
}

// scanLimit bounds the search for embedded JSON, which a hostile text could make quadratic.
const scanLimit = 64 << 20

// embedded returns the earliest object or array in the text that is JSON.
func embedded(text string) (string, bool) {
	for found := range jsonIn(text, nil) {
		return found, true
	}
	return "", false
}

// jsonIn finds the objects and arrays in a text that are JSON, in order; what is inside of one is not looked at again.
// A search that takes too long ends early and says so in cut, which may be nil.
func jsonIn(text string, cut *bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at, work := 0, 0; ; {
			i := strings.IndexAny(text[at:], "{[")
			if i < 0 {
				return
			}
			if work >= scanLimit {
				if cut != nil {
					*cut = true
				}
				return
			}
			at += i
			end, seen := balanced(text[at:])
			work += seen
			if end == 0 || !json.Valid([]byte(text[at:at+end])) {
				at++
				continue
			}
			if !yield(text[at : at+end]) {
				return
			}
			at += end
		}
	}
}

// balanced returns where the bracket at the start of the text closes, or 0, and how much of the text it took to know.
// Brackets in strings do not count.
func balanced(text string) (end, seen int) {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if inString {
			switch c {
			case '\\':
				i++
			case '"':
				inString = false
			}
			continue
		}
		switch c {
		case '"':
			inString = true
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, i + 1
			}
		}
	}
	return 0, len(text)
}
