package node

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"gopkg.in/yaml.v3"
)

// Reader takes values out of the nodes of one file. Each method reports what does not fit, at its place, and then
// returns false (or the zero value), so that the caller goes on and finds the next problem too.
type Reader struct {
	File  string
	Diags *diag.List
	// Lenient turns unknown fields into warnings, for files that were written for another tool.
	Lenient bool
}

// Pos is the place of a node.
func (r *Reader) Pos(n *Node) diag.Pos {
	if n == nil {
		return diag.Pos{File: r.File}
	}
	return diag.Pos{File: r.File, Line: int32(n.Line), Col: int32(n.Column)}
}

// Errorf reports an error at n. The format sees only args; Go's %q is what quotes values.
func (r *Reader) Errorf(n *Node, code, format string, args ...any) *diag.Diagnostic {
	return r.Diags.Errorf(r.Pos(n), width(n), code, format, args...)
}

// Warnf reports a warning at n.
func (r *Reader) Warnf(n *Node, code, format string, args ...any) *diag.Diagnostic {
	return r.Diags.Warnf(r.Pos(n), width(n), code, format, args...)
}

func width(n *Node) int {
	if n == nil || n.Kind != Scalar {
		return 1
	}
	w := utf8.RuneCountInString(n.Value)
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 { // the quotes count
		w += 2
	}
	if i := strings.IndexByte(n.Value, '\n'); i >= 0 {
		w = 1
	}
	return max(w, 1)
}

// Fields walks a mapping once. known lists every legal key; set is called for each of them in the order of the file,
// null values included. Unknown and duplicate keys are reported. what names the mapping in messages ("a turn").
func (r *Reader) Fields(n *Node, what string, known []string, set func(key string, k, v *Node)) bool {
	if !r.isMap(n, what) {
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case r.Repeated(n, i):
		case !contains(known, k.Value):
			r.Unknown(k, what, known)
		default:
			set(k.Value, k, v)
		}
	}
	return true
}

// Each walks a mapping whose keys are free names (ids, variables). Duplicate keys are reported.
func (r *Reader) Each(n *Node, what string, set func(key string, k, v *Node)) bool {
	if !r.isMap(n, what) {
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !r.Repeated(n, i) {
			set(n.Content[i].Value, n.Content[i], n.Content[i+1])
		}
	}
	return true
}

// Repeated reports the key at n.Content[i] when the mapping has set it before.
func (r *Reader) Repeated(n *Node, i int) bool {
	first := earlier(n, i)
	if first == nil {
		return false
	}
	r.repeated(n.Content[i], first.Line)
	return true
}

func (r *Reader) repeated(k *Node, line int) {
	r.Errorf(k, "duplicate-key", "key %q is already set on line %d", k.Value, line).Hint = "keep one of the two"
}

// earlier returns the key node that already set the key at i. Mappings are short; long ones (mock files) are kept
// linear by the index.
func earlier(n *Node, i int) *Node {
	if len(n.Content) > longMap {
		return nil // Parse has already reported the duplicates of a long mapping
	}
	for j := 0; j < i; j += 2 {
		if n.Content[j].Value == n.Content[i].Value {
			return n.Content[j]
		}
	}
	return nil
}

func contains(known []string, key string) bool {
	for _, k := range known {
		if k == key {
			return true
		}
	}
	return false
}

// Unknown reports a key that a mapping must not have; a warning when the reader is lenient.
func (r *Reader) Unknown(k *Node, what string, known []string) *diag.Diagnostic {
	d := r.Foreignf(k, "unknown-field", "unknown field %q in %s", k.Value, what)
	if d.Hint = diag.DidYouMean(k.Value, known); d.Hint == "" {
		d.Hint = "known fields: " + strings.Join(known, ", ")
	}
	return d
}

// Foreignf reports what another tool may have meant: an error, or a warning when the reader is lenient.
func (r *Reader) Foreignf(n *Node, code, format string, args ...any) *diag.Diagnostic {
	if r.Lenient {
		return r.Warnf(n, code, format, args...)
	}
	return r.Errorf(n, code, format, args...)
}

func (r *Reader) isMap(n *Node, what string) bool {
	if n == nil || n.Kind != Map {
		r.Errorf(n, "wrong-type", "%s must be a map, found %s", what, describe(n))
		return false
	}
	return true
}

// Items calls item for each element of a list.
func (r *Reader) Items(n *Node, what string, item func(i int, v *Node)) bool {
	if n == nil || n.Kind != List {
		d := r.Errorf(n, "wrong-type", "%s must be a list, found %s", what, describe(n))
		if n != nil && n.Kind == Map {
			d.Hint = `put "- " before each entry`
		}
		return false
	}
	for i, v := range n.Content {
		item(i, v)
	}
	return true
}

// String reads text. Numbers and booleans are taken in the form in which they are written.
func (r *Reader) String(n *Node, what string) (string, bool) {
	if n == nil || n.Kind != Scalar || IsNull(n) {
		r.Errorf(n, "wrong-type", "%s must be text, found %s", what, describe(n))
		return "", false
	}
	return n.Value, true
}

// Name reads text that must not be empty or blank, such as an id or a file name.
func (r *Reader) Name(n *Node, what string) (string, bool) {
	s, ok := r.String(n, what)
	if ok && strings.TrimSpace(s) == "" {
		r.Errorf(n, "empty-value", "%s is empty", what)
		return "", false
	}
	return s, ok
}

// OneOf reads one of a few words.
func (r *Reader) OneOf(n *Node, what string, words ...string) (string, bool) {
	s, ok := r.String(n, what)
	if !ok {
		return "", false
	}
	if !contains(words, s) {
		d := r.Errorf(n, "unknown-value", "%s cannot be %s; expected one of %s", what, quote(s), strings.Join(words, ", "))
		d.Hint = diag.DidYouMean(s, words)
		return "", false
	}
	return s, true
}

// Strings reads a list of text; a single text is a list of one.
func (r *Reader) Strings(n *Node, what string) ([]string, bool) {
	if n != nil && n.Kind == Scalar && !IsNull(n) {
		return []string{n.Value}, true
	}
	if n == nil || n.Kind != List {
		r.Errorf(n, "wrong-type", "%s must be a list of text, found %s", what, describe(n))
		return nil, false
	}
	out, ok := make([]string, 0, len(n.Content)), true
	for _, v := range n.Content {
		s, good := r.String(v, "each of "+what)
		out, ok = append(out, s), ok && good
	}
	return out, ok
}

// StringMap reads a map of text to text; numbers and booleans are taken as written, lists and maps as JSON.
func (r *Reader) StringMap(n *Node, what string) (map[string]string, bool) {
	out, ok := map[string]string{}, true
	walked := r.Each(n, what, func(key string, _, v *Node) {
		if v.Kind == Scalar {
			if IsNull(v) {
				out[key] = ""
				return
			}
			out[key] = v.Value
			return
		}
		b, err := json.Marshal(r.Any(v))
		if err != nil {
			r.Errorf(v, "wrong-type", "%s %q cannot be written as JSON: %v", what, key, err)
			ok = false
			return
		}
		out[key] = string(b)
	})
	return out, ok && walked
}

// Bool reads true or false; yes, no, on and off without quotes as well, which YAML 1.1 counts among them.
func (r *Reader) Bool(n *Node, what string) (bool, bool) {
	if n != nil && n.Kind == Scalar && (n.ShortTag() == "!!bool" || n.Style == 0) {
		switch strings.ToLower(n.Value) {
		case "true", "yes", "on":
			return true, true
		case "false", "no", "off":
			return false, true
		}
	}
	r.Errorf(n, "wrong-type", "%s must be true or false, found %s", what, describe(n))
	return false, false
}

// Int reads a whole number within bounds.
func (r *Reader) Int(n *Node, what string, low, high int) (int, bool) {
	f, ok := r.number(n, what, "a whole number")
	if !ok {
		return 0, false
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		r.Errorf(n, "wrong-type", "%s must be a whole number, found %s", what, n.Value)
		return 0, false
	}
	if f < float64(low) || f > float64(high) {
		r.outside(n, what, float64(low), float64(high))
		return 0, false
	}
	return int(f), true
}

// Float reads a finite number within bounds.
func (r *Reader) Float(n *Node, what string, low, high float64) (float64, bool) {
	f, ok := r.number(n, what, "a number")
	if !ok {
		return 0, false
	}
	if f < low || f > high {
		r.outside(n, what, low, high)
		return 0, false
	}
	return f, true
}

func (r *Reader) outside(n *Node, what string, low, high float64) {
	num := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch {
	case high >= math.MaxInt32 || math.IsInf(high, 1):
		r.Errorf(n, "out-of-range", "%s must be at least %s, found %s", what, num(low), n.Value)
	case math.IsInf(low, -1):
		r.Errorf(n, "out-of-range", "%s must be at most %s, found %s", what, num(high), n.Value)
	default:
		r.Errorf(n, "out-of-range", "%s must be between %s and %s, found %s", what, num(low), num(high), n.Value)
	}
}

func (r *Reader) number(n *Node, what, kind string) (float64, bool) {
	if n == nil || n.Kind != Scalar || (n.ShortTag() != "!!int" && n.ShortTag() != "!!float") {
		d := r.Errorf(n, "wrong-type", "%s must be %s, found %s", what, kind, describe(n))
		if n != nil && n.Kind == Scalar {
			if _, err := strconv.ParseFloat(n.Value, 64); err == nil {
				d.Hint = "write it without quotes: " + n.Value
			}
		}
		return 0, false
	}
	var f float64
	if err := n.Decode(&f); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		r.Errorf(n, "wrong-type", "%s must be %s, found %s", what, kind, n.Value)
		return 0, false
	}
	return f, true
}

// Duration reads a time span such as 90s or 5m. It must be positive.
func (r *Reader) Duration(n *Node, what string) (time.Duration, bool) {
	s, ok := r.String(n, what)
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		r.Errorf(n, "wrong-type", "%s must be a time span above zero such as 90s or 5m, found %s", what, describe(n))
		return 0, false
	}
	return d, true
}

// Any reads a value of any shape as JSON would hold it: map[string]any, []any, string, json.Number, bool, nil.
// Duplicate keys and numbers that JSON cannot hold (.nan, .inf) are reported.
func (r *Reader) Any(n *Node) any {
	if IsNull(n) {
		return nil
	}
	switch n.Kind {
	case Map:
		m := make(map[string]any, len(n.Content)/2)
		r.Each(n, "the value", func(key string, _, v *Node) { m[key] = r.Any(v) })
		return m
	case List:
		l := make([]any, len(n.Content))
		for i, v := range n.Content {
			l[i] = r.Any(v)
		}
		return l
	}
	return r.scalar(n)
}

func (r *Reader) scalar(n *Node) any {
	switch n.ShortTag() {
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err == nil {
			return b
		}
	case "!!int":
		if isJSONNumber(n.Value) {
			return json.Number(n.Value)
		}
		var i int64
		if err := n.Decode(&i); err == nil {
			return json.Number(strconv.FormatInt(i, 10)) // 0x1F, 0o17, 1_000
		}
		var u uint64
		if err := n.Decode(&u); err == nil {
			return json.Number(strconv.FormatUint(u, 10))
		}
	case "!!float":
		if isJSONNumber(n.Value) {
			return json.Number(n.Value)
		}
		var f float64
		if err := n.Decode(&f); err == nil {
			if math.IsNaN(f) || math.IsInf(f, 0) {
				r.Errorf(n, "wrong-type", "%s is not a number that JSON can hold", n.Value)
				return nil
			}
			return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
		}
	}
	return n.Value
}

func isJSONNumber(s string) bool {
	if s == "" || (s[0] != '-' && (s[0] < '0' || s[0] > '9')) {
		return false
	}
	return json.Valid([]byte(s))
}

// Missing reports that a mapping lacks a required field.
func (r *Reader) Missing(n *Node, what, field string) *diag.Diagnostic {
	return r.Diags.Add(diag.Diagnostic{
		Pos: r.Pos(n), Width: 1, Code: "missing-field", Msg: fmt.Sprintf("%s has no %s", what, field),
	})
}
