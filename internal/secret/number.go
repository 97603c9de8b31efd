package secret

import (
	"bytes"
	"slices"
	"strings"
)

// A secret may be made of digits, and then equal a number: one that arena counted, or one that an agent wrote among
// the arguments of a tool. In a document of JSON neither can be replaced like a text.

// openFields are the fields of what arena writes whose values are those of somebody else, and may be anything.
var openFields = []string{"args", "arguments", "details", "metadata"}

const numeric = "0123456789+-.eE"

// inNumber reports whether a hit is a part of the number that a field of a JSON object has as its value.
func inNumber(p []byte, from, end int) bool {
	for _, c := range p[from:end] {
		if strings.IndexByte(numeric, c) < 0 {
			return false
		}
	}
	for from > 0 && strings.IndexByte(numeric, p[from-1]) >= 0 {
		from--
	}
	for end < len(p) && strings.IndexByte(numeric, p[end]) >= 0 {
		end++
	}
	if end < len(p) && strings.IndexByte(",}] \t\r\n", p[end]) < 0 {
		return false
	}
	before, colon := bytes.CutSuffix(bytes.TrimRight(p[:from], " \t\r\n"), []byte(":"))
	key, quoted := bytes.CutSuffix(before, []byte(`"`))
	return colon && quoted && (len(key)-len(bytes.TrimRight(key, `\`)))%2 == 0
}

// JSON is Bytes for a document of JSON, which it stays: of numbers only those go that somebody else wrote.
func (g *Guard) JSON(p []byte) []byte { return g.Set().JSON(p) }

// JSON is Bytes for a document of JSON; see Guard.JSON.
func (s *Set) JSON(p []byte) []byte {
	if s == nil || !s.numbers {
		return s.Bytes(p)
	}
	w := jsonWalk{set: s, text: p, out: make([]byte, 0, len(p)+len(Redacted))}
	for w.at < len(p) {
		w.step()
	}
	return w.out
}

// jsonWalk copies a document token by token.
type jsonWalk struct {
	set  *Set
	text []byte
	at   int
	out  []byte
	key  []byte // the last text; before a value its field
	open []bool // of each bracket: what is in it is somebody else's
}

func (w *jsonWalk) step() {
	switch c := w.text[w.at]; {
	case c == '"':
		w.key = w.text[w.at:w.textEnd()]
		w.out = append(w.out, w.set.Bytes(w.key)...)
		w.at += len(w.key)
	case c == '{' || c == '[':
		w.open = append(w.open, w.isOpen() || slices.Contains(openFields, string(bytes.Trim(w.key, `"`))))
		w.key = nil
		w.copy()
	case c == '}' || c == ']':
		w.open = w.open[:max(len(w.open)-1, 0)]
		w.copy()
	case c == '-' || '0' <= c && c <= '9':
		w.number()
	case c == ',':
		w.key = nil
		w.copy()
	default:
		w.copy()
	}
}

func (w *jsonWalk) copy() {
	w.out = append(w.out, w.text[w.at])
	w.at++
}

func (w *jsonWalk) isOpen() bool { return len(w.open) > 0 && w.open[len(w.open)-1] }

// textEnd is where the text ends that begins here.
func (w *jsonWalk) textEnd() int {
	for i := w.at + 1; i < len(w.text); i++ {
		switch w.text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(w.text)
}

func (w *jsonWalk) number() {
	end := w.at
	for end < len(w.text) && strings.IndexByte(numeric, w.text[end]) >= 0 {
		end++
	}
	digits := w.text[w.at:end]
	w.at = end
	if w.isOpen() && w.set.In(digits) {
		digits = []byte(`"` + Redacted + `"`)
	}
	w.out = append(w.out, digits...)
}
