package dataset

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// IDField is the field that names a row.
const IDField = "id"

// Row is one row. It must not be changed.
type Row struct {
	ID     string
	Number int // from 1
	Pos    diag.Pos
	// Values are the fields: text, json.Number, bool, []any, map[string]any. Those without a value are left out.
	Values map[string]any
	Fault  *Fault // why the row cannot be used; nil: it can
}

// Text is a field as text: lists and maps as JSON.
func (r *Row) Text(name string) (text string, ok bool) {
	switch v := r.Values[name].(type) {
	case nil:
		return "", false
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	default:
		return jsonvalue.Compact(v), true
	}
}

// Canonical is equal for rows that hold the same, and only for them: the place of a row does not count, nor does the
// order of its fields.
func (r *Row) Canonical() []byte {
	b, _ := json.Marshal(r.Values) // cannot fail: it was read from JSON, YAML or CSV; keys are sorted
	if r.Fault != nil {
		b = append(b, r.Fault.Msg...)
	}
	return b
}

// maxID is the length of the longest id, in bytes.
const maxID = 200

// idOf is the id in a field of the row; "": none.
func idOf(values map[string]any) (id, problem string) {
	switch v := values[IDField].(type) {
	case nil:
		return "", ""
	case string:
		id = v
	case json.Number:
		id = v.String()
	default:
		return "", "the id must be a text or a number, found " + kindOf(v)
	}
	switch {
	case id == "":
		return "", ""
	case len(id) > maxID:
		return "", fmt.Sprintf("the id has %d bytes; the limit is %d", len(id), maxID)
	case strings.TrimSpace(id) != id:
		return "", fmt.Sprintf("the id %q begins or ends with a space", id)
	case strings.ContainsAny(id, "[],") || strings.ContainsFunc(id, func(r rune) bool {
		return !unicode.IsPrint(r) || r == utf8.RuneError
	}):
		return "", fmt.Sprintf("the id %q has a bracket, a comma or a sign that is not seen", id)
	}
	return id, ""
}

func numbered(number int) string { return fmt.Sprintf("row-%d", number) }

func kindOf(v any) string {
	switch v.(type) {
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	case bool:
		return "true or false"
	case string:
		return "a text"
	case nil:
		return "null"
	}
	return "a number"
}

// withoutNulls are the fields that have a value.
func withoutNulls(values map[string]any) map[string]any {
	null := func(_ string, v any) bool { return v == nil }
	for name, v := range values {
		if null(name, v) {
			values = maps.Clone(values)
			maps.DeleteFunc(values, null)
			break
		}
	}
	return values
}

// FieldNames lists the fields of a row, sorted.
func (r *Row) FieldNames() []string { return slices.Sorted(maps.Keys(r.Values)) }
