package say

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// KeptLimit is the maximum length of a value in details, in characters.
const KeptLimit = 4000

// Kept is a value for details: as it is, or the beginning of its text when it is large.
func Kept(v any) any {
	if text := jsonStart(v, KeptLimit); utf8.RuneCountInString(text) > KeptLimit {
		return Cut(text, KeptLimit)
	}
	return v
}

// Shown is a JSON value as explanations show it.
func Shown(v any) string { return Cut(jsonStart(v, QuoteLimit), QuoteLimit) }

// jsonStart is the compact JSON of a value, or at least so many characters of its beginning: what a path selects in a
// reply may have the reply in it many times over.
func jsonStart(v any, characters int) string {
	w := startWriter{limit: characters * utf8.UTFMax}
	w.value(v)
	return string(w.text)
}

// startWriter writes until it has more than enough.
type startWriter struct {
	text  []byte
	limit int // bytes
}

func (w *startWriter) full() bool { return len(w.text) > w.limit }

func (w *startWriter) value(v any) {
	if w.full() {
		return
	}
	switch x := v.(type) {
	case nil:
		w.add("null")
	case bool:
		w.text = strconv.AppendBool(w.text, x)
	case json.Number:
		w.add(x.String())
	case string:
		w.string(x)
	case []any:
		w.list(x)
	case jsonvalue.Object:
		w.object(x)
	default:
		w.add(jsonvalue.Compact(v))
	}
}

func (w *startWriter) add(text string) { w.text = append(w.text, text...) }

// string leaves out what is beyond the limit in any case.
func (w *startWriter) string(s string) {
	if len(s) > w.limit {
		end := w.limit
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end++
		}
		s = s[:end]
	}
	w.add(jsonvalue.Compact(s))
}

func (w *startWriter) list(list []any) {
	w.add("[")
	for i, item := range list {
		if i > 0 {
			w.add(",")
		}
		if w.value(item); w.full() {
			return
		}
	}
	w.add("]")
}

func (w *startWriter) object(fields jsonvalue.Object) {
	w.add("{")
	for i, key := range slices.Sorted(maps.Keys(fields)) {
		if i > 0 {
			w.add(",")
		}
		w.string(key)
		w.add(":")
		if w.value(fields[key]); w.full() {
			return
		}
	}
	w.add("}")
}
