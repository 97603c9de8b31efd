package cassette

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/secret"
)

const redacted = secret.Redacted

// minSecret is the shortest value of a redacted field that is removed everywhere.
const minSecret = 6

// redactor removes from outputs known secrets, and the values of JSON fields that the user named. Redacting twice
// changes nothing more. It is immutable and safe for concurrent use. A nil redactor changes nothing.
type redactor struct {
	secrets  *secret.Set     // nil: none are known
	prefixes []string        // beginnings of secrets whose end is not known
	fields   map[string]bool // in lower case
	log      *fieldLog       // of the field names in the texts; nil: none
}

// named reports whether a field is one that the user named.
func (r *redactor) named(field string) bool {
	if len(r.fields) == 0 {
		return false
	}
	field = strings.ToLower(field)
	r.log.note(field, r.fields[field])
	return r.fields[field]
}

// logged sets the log for field names.
func (r *redactor) logged(log *fieldLog) *redactor {
	if r != nil {
		r.log = log
	}
	return r
}

func newRedactor(secrets, fields []string) *redactor {
	r := &redactor{secrets: secret.NewSet(secrets), fields: lowerSet(fields)}
	if r.secrets == nil && len(r.fields) == 0 {
		return nil
	}
	return r
}

func lowerSet(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[strings.ToLower(name)] = true
	}
	return set
}

// text removes secrets from a text, and the values of the fields if the text is JSON.
func (r *redactor) text(s string) Text {
	if r == nil {
		return Text(s)
	}
	s = r.removeKnown(s)
	if len(r.fields) > 0 {
		s = r.document(s)
	}
	return Text(s)
}

// badArgs removes secrets and values of the fields from arguments that are not JSON.
func (r *redactor) badArgs(s string) string {
	if r == nil {
		return s
	}
	s = r.removeKnown(s)
	if len(r.fields) > 0 && !json.Valid([]byte(s)) {
		return looseScan{r, s, true}.clean()
	}
	return string(r.text(s))
}

// removeKnown removes known secrets, and words that begin with the prefix of one.
func (r *redactor) removeKnown(s string) string {
	s = r.secrets.Text(s)
	for _, prefixes := range r.prefixes {
		s = withoutPrefixed(s, prefixes)
	}
	return s
}

// withoutPrefixed removes the words that begin with a text.
func withoutPrefixed(s, prefixes string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(s, prefixes)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteString(redacted)
		s = strings.TrimLeftFunc(after, func(r rune) bool { return isWordRune(r) || r == '-' || r == '@' || r == '.' })
	}
}

// withPrefixes sets the beginnings of secrets whose end is not known.
func (r *redactor) withPrefixes(prefixes []string) *redactor {
	if r != nil {
		r.prefixes = prefixes
	}
	return r
}

// outputs returns a redactor for texts that may have been cut: it also finds parts of secrets beside the mark of a cut.
func (r *redactor) outputs() *redactor {
	if r == nil {
		return nil
	}
	out := *r
	out.secrets = r.secrets.Cut()
	return &out
}

// schema removes secrets from a JSON Schema. Its properties may have the names of redacted fields.
func (r *redactor) schema(data []byte) []byte {
	if r == nil || r.secrets == nil || len(data) == 0 {
		return data
	}
	return (&redactor{secrets: r.secrets}).raw(data)
}

// raw redacts a JSON document.
func (r *redactor) raw(data []byte) []byte {
	if r == nil || len(data) == 0 {
		return data
	}
	clean := []byte(r.text(string(data)))
	if json.Valid(clean) || !json.Valid(data) {
		return clean
	}
	v, err := chat.DecodeJSON(data) // removing a number broke the document, so remove it from the decoded values
	if err != nil {
		return nil
	}
	clean, err = compact(cleaner{redactor: r}.clean(reflect.ValueOf(&v).Elem()).Interface())
	if err != nil {
		return nil
	}
	return clean
}

// document replaces the values of the fields in a text. It keeps the formatting of one that is a JSON object or list.
func (r *redactor) document(s string) string {
	if opens := opensDocument(s); !opens || !json.Valid([]byte(s)) {
		return looseScan{r, s, opens}.clean()
	}
	w := documentRedactor{redactor: r, dec: json.NewDecoder(strings.NewReader(s)), text: s}
	w.value()
	if w.done == 0 {
		return s
	}
	return w.out.String() + s[w.done:]
}

// documentRedactor walks through a valid document.
type documentRedactor struct {
	*redactor
	dec  *json.Decoder
	text string
	out  strings.Builder
	done int // how much of text is in out
}

func (w *documentRedactor) value() {
	before := int(w.dec.InputOffset())
	token, err := w.dec.Token()
	if text, ok := token.(string); ok {
		w.nested(text, before)
	}
	open, nested := token.(json.Delim)
	if err != nil || !nested {
		return
	}
	for w.dec.More() {
		if open == '{' {
			key, _ := w.dec.Token()
			if name, _ := key.(string); w.named(name) {
				w.replace()
				continue
			}
		}
		w.value()
	}
	_, _ = w.dec.Token() // the document is valid
}

// replace skips the next value and writes the placeholder.
func (w *documentRedactor) replace() {
	from := int(w.dec.InputOffset())
	from += strings.IndexByte(w.text[from:], ':') + 1
	from += len(w.text[from:]) - len(strings.TrimLeft(w.text[from:], " \t\r\n"))
	var skipped json.RawMessage
	if w.dec.Decode(&skipped) != nil {
		return // the document is valid
	}
	w.out.WriteString(w.text[w.done:from])
	w.out.WriteString(`"` + redacted + `"`)
	w.done = int(w.dec.InputOffset())
}

// nested redacts the last token, a text that is a JSON document itself. before is the offset before it.
func (w *documentRedactor) nested(text string, before int) {
	clean := w.document(text)
	if clean == text {
		return
	}
	quoted, err := compact(clean)
	if err != nil {
		return // a text can be encoded
	}
	end := int(w.dec.InputOffset())
	start := end - len(strings.TrimLeft(w.text[before:end], " \t\r\n,:"))
	w.out.WriteString(w.text[w.done:start])
	w.out.Write(quoted)
	w.done = end
}

// calls redacts tool calls.
func (r *redactor) calls(list []chat.ToolCall) []chat.ToolCall {
	if len(list) == 0 {
		return nil
	}
	if r == nil {
		return list
	}
	out := slices.Clone(list)
	for i := range out {
		out[i].Args, out[i].BadArgs = r.args(out[i].Args), r.badArgs(out[i].BadArgs)
		out[i].Opaque = r.opaque(out[i].Opaque)
	}
	return out
}

// opaque redacts the state of a provider.
func (r *redactor) opaque(o *chat.Opaque) *chat.Opaque {
	if r == nil || o == nil {
		return o
	}
	return &chat.Opaque{From: o.From, Data: r.raw(o.Data)}
}

// args redacts the arguments of a call.
func (r *redactor) args(args chat.Args) jsonvalue.Object {
	if r == nil || args == nil {
		return args
	}
	data, err := compact(args)
	if err != nil {
		return args // the cassette reports that it cannot be encoded
	}
	clean := r.raw(data)
	if bytes.Equal(data, clean) {
		return args
	}
	v, err := chat.DecodeJSON(clean)
	out, ok := v.(jsonvalue.Object)
	if err != nil || !ok {
		return jsonvalue.Object{}
	}
	return out
}
