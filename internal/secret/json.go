package secret

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// openFields are fields of arena's documents with values of users, models or tools, which may be of any form.
var openFields = []string{"args", "arguments", "artifacts", "details", "metadata"}

// Fields whose values arena writes itself, and that readers need: enumerations, and numbers and times as texts. Any
// other text may hold a secret.
var (
	wordFields = []string{
		"action", "bar", "flaky", "key", "kind", "role", "rule", "status", "surface", "type", "verdict",
	}
	numberFields = []string{
		"ended", "endTimeUnixNano", "intValue", "parentSpanId", "spanId", "started", "startTimeUnixNano", "time",
		"timeUnixNano", "traceId",
	}
)

// JSON redacts a JSON document, which stays valid. Keys and numbers are redacted only where arena did not write them.
func (g *Guard) JSON(p []byte) []byte { return g.Set().JSON(p) }

// JSON redacts a JSON document; see Guard.JSON.
func (s *Set) JSON(p []byte) []byte {
	if s.next(p, 0, false).size == 0 {
		return p
	}
	t := token{set: s, text: p, last: true, out: make([]byte, 0, len(p)+len(Redacted))}
	t.readAll(&jsonWalk{})
	return t.done()
}

// jsonWalk reads JSON.
type jsonWalk struct {
	field []byte    // the field whose value comes next
	value bool      // a value comes next, rather than a key
	in    []bracket // open brackets
}

type bracket struct {
	object bool
	others bool            // arena did not write what is in it
	keys   map[string]bool // those that were redacted, as they are now
}

func (w *jsonWalk) step(t *token) bool {
	switch c := t.text[t.at]; {
	case c == '"':
		return w.string(t)
	case c == '{' || c == '[':
		others := w.others() || slices.Contains(openFields, string(w.field))
		w.in = append(w.in, bracket{object: c == '{', others: others})
		w.field, w.value = w.field[:0], c == '['
	case c == '}' || c == ']':
		w.in = w.in[:max(len(w.in)-1, 0)]
		w.field, w.value = w.field[:0], true
	case c == '-' || '0' <= c && c <= '9':
		return w.number(t)
	case c == ':':
		w.value = true
	case c == ',':
		w.field, w.value = w.field[:0], len(w.in) == 0 || !w.in[len(w.in)-1].object
	case strings.IndexByte(blankBytes, c) < 0:
		return copyLiteral(t)
	}
	t.copy(t.at + 1)
	return true
}

func (w *jsonWalk) others() bool { return len(w.in) > 0 && w.in[len(w.in)-1].others }

// string reads a key or a string.
func (w *jsonWalk) string(t *token) bool {
	end := closingQuote(t.text, t.at+1)
	if end < 0 && !t.last {
		return false
	}
	if end < 0 {
		end = len(t.text)
	}
	inner := t.text[t.at+1 : end]
	isKey := !w.value && len(w.in) > 0
	if isKey {
		w.field = append(w.field[:0], inner...)
	}
	t.copy(t.at + 1)
	switch {
	case !w.others() && (isKey && isWord(inner) || !isKey && isOwn(string(w.field), inner)):
		t.copy(end)
	case isKey && t.set.next(inner, 0, false).size > 0:
		t.replace(end, w.in[len(w.in)-1].keyOf(t.set.without(inner, false)))
	default:
		t.clean(end)
	}
	t.copy(min(end+1, len(t.text)))
	return true
}

// keyOf is a redacted key, with a number when its object has the same already.
func (b *bracket) keyOf(key []byte) []byte {
	if b.keys == nil {
		b.keys = map[string]bool{}
	}
	numbered := string(key)
	for n := 2; b.keys[numbered]; n++ {
		numbered = fmt.Sprintf("%s %d", key, n)
	}
	b.keys[numbered] = true
	return []byte(numbered)
}

// closingQuote returns the offset of the quote that ends the string; -1 when it has not come yet.
func closingQuote(p []byte, at int) int {
	for i := at; ; {
		n := bytes.IndexByte(p[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := i
		for slashes > at && p[slashes-1] == '\\' {
			slashes--
		}
		if (i-slashes)%2 == 0 {
			return i
		}
		i++
	}
}

// isOwn reports whether arena itself wrote the value of a field.
func isOwn(field string, value []byte) bool {
	return slices.Contains(wordFields, field) && isWord(value) || slices.Contains(numberFields, field) && isNumber(value)
}

// isWord reports whether a text looks like a key or an enumeration value of arena: letters and separators.
func isWord(text []byte) bool {
	for _, c := range text {
		if (!isWordByte(c) || '0' <= c && c <= '9') && strings.IndexByte("_.-", c) < 0 {
			return false
		}
	}
	return true
}

// isNumber reports whether a text looks like a number, decimal or hexadecimal, or like a time.
func isNumber(text []byte) bool {
	return len(bytes.Trim(text, "0123456789abcdefTZ:.+-")) == 0
}

// blankBytes are the white space of JSON.
const blankBytes = " \t\r\n"

// copyLiteral copies true, false, null and punctuation, which hold no secret.
func copyLiteral(t *token) bool {
	n := bytes.IndexAny(t.text[t.at:], blankBytes+`{}[]:,"`)
	if n < 0 && !t.last {
		return false
	}
	if n < 0 {
		n = len(t.text) - t.at
	}
	t.clean(t.at + n)
	return true
}

func (w *jsonWalk) number(t *token) bool {
	end := t.at
	for end < len(t.text) && strings.IndexByte(numeric, t.text[end]) >= 0 {
		end++
	}
	if end == len(t.text) && !t.last {
		return false
	}
	if w.others() && t.set.In(t.text[t.at:end]) {
		t.replace(end, []byte(`"`+Redacted+`"`))
		return true
	}
	t.copy(end)
	return true
}
