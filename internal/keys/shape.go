package keys

import (
	"math"
	"strconv"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
)

// Shape describes the valid values of a key.
type Shape interface {
	// Label is the shape in words: "list of text".
	Label() string
	// Schema is the shape as JSON Schema, with its types as JSON has them. w is nil when there are no definitions to
	// refer to.
	Schema(w Writer) *jsonschema.Doc
	// Check reports an invalid value. what names it in messages.
	Check(r Reader, n *node.Node, what string)
}

// Writer collects the definitions of a schema.
type Writer interface {
	// Table refers to the definition of a table.
	Table(t Table) *jsonschema.Doc
	// Item describes an entry of a list or a map.
	Item(s Shape) *jsonschema.Doc
}

// Reader reads values from files. *node.Reader and types that embed it implement it.
type Reader interface {
	Any(n *node.Node) any
	String(n *node.Node, what string) (string, bool)
	OneOf(n *node.Node, what string, words ...string) (string, bool)
	Bool(n *node.Node, what string) (bool, bool)
	Int(n *node.Node, what string, low, high int) (int, bool)
	Float(n *node.Node, what string, low, high float64) (float64, bool)
	Duration(n *node.Node, what string) (time.Duration, bool)
	Items(n *node.Node, what string, item func(i int, v *node.Node)) bool
	Each(n *node.Node, what string, set func(key string, k, v *node.Node)) bool
	Errorf(n *node.Node, code, format string, args ...any) *diag.Diagnostic
}

// The shapes of single values.
type (
	Any  struct{}
	Text struct {
		Filled bool // must not be empty
	}
	Bool  struct{}
	Span  struct{} // a time span such as 90s
	Words []string // one of these words
	// Number is a number between two bounds, which may be infinite.
	Number struct {
		Low, High float64
		Integer   bool
		Above     bool // Low itself is too small
	}
)

// The shapes of collections.
type (
	List struct {
		Item   Shape
		Single bool // a single value counts as a list of it
		Filled bool // must not be empty
	}
	// Map has free keys.
	Map struct{ Value Shape }
)

// Own is a value with a reader of its own.
type Own struct {
	Words string // see Shape.Label
	Doc   jsonschema.Doc
}

// Label implements Shape, as all of these.
func (Any) Label() string { return "any value" }

// Label says it in words.
func (Text) Label() string { return "text" }

// Label says it in words.
func (Bool) Label() string { return "true or false" }

// Label says it in words.
func (Span) Label() string { return "time span such as 30s" }

// Label says it in words.
func (w Words) Label() string { return "one of " + say.Or(w) }

// Label says it in words.
func (s Number) Label() string {
	if s.Integer {
		return "whole number"
	}
	return "number"
}

// Label says it in words.
func (l List) Label() string { return "list of " + l.Item.Label() }

// Label says it in words.
func (m Map) Label() string { return "map to " + m.Value.Label() }

// Label says it in words.
func (o Own) Label() string { return o.Words }

// Schema takes everything.
func (Any) Schema(Writer) *jsonschema.Doc { return &jsonschema.Doc{} }

// Schema takes text.
func (s Text) Schema(Writer) *jsonschema.Doc {
	d := &jsonschema.Doc{Type: jsonschema.Types{"string"}}
	if s.Filled {
		d.MinLength = 1
	}
	return d
}

// Schema takes true and false.
func (Bool) Schema(Writer) *jsonschema.Doc { return &jsonschema.Doc{Type: jsonschema.Types{"boolean"}} }

// Schema takes time spans.
func (Span) Schema(Writer) *jsonschema.Doc {
	const number, units = `([0-9]+\.?[0-9]*|\.[0-9]+)`, `(ns|us|µs|μs|ms|s|m|h)`
	return &jsonschema.Doc{Type: jsonschema.Types{"string"}, Pattern: `^\+?(` + number + units + `)+$`}
}

// Schema takes the words.
func (w Words) Schema(Writer) *jsonschema.Doc { return &jsonschema.Doc{Enum: w} }

// Schema takes the numbers between the bounds. Those beyond 32 bits are none.
func (s Number) Schema(Writer) *jsonschema.Doc {
	d := &jsonschema.Doc{Type: jsonschema.Types{"number"}}
	if s.Integer {
		d.Type = jsonschema.Types{"integer"}
	}
	switch {
	case s.Above:
		d.ExclusiveMinimum = &s.Low
	case s.Low > math.MinInt32:
		d.Minimum = &s.Low
	}
	if s.High < math.MaxInt32 {
		d.Maximum = &s.High
	}
	return d
}

// Schema takes the lists.
func (l List) Schema(w Writer) *jsonschema.Doc {
	list := &jsonschema.Doc{Type: jsonschema.Types{"array"}, Items: item(w, l.Item)}
	if l.Filled {
		list.MinItems = 1
	}
	if l.Single {
		return jsonschema.AnyOf(item(w, l.Item), list)
	}
	return list
}

// Schema takes the maps.
func (m Map) Schema(w Writer) *jsonschema.Doc {
	d := &jsonschema.Doc{Type: jsonschema.Types{"object"}}
	if of := item(w, m.Value); !of.TakesAll() {
		d.AdditionalProperties = jsonschema.OthersOf(of)
	}
	return d
}

// Schema is the one that was declared.
func (o Own) Schema(Writer) *jsonschema.Doc { return &o.Doc }

func item(w Writer, s Shape) *jsonschema.Doc {
	if w == nil {
		return s.Schema(nil)
	}
	return w.Item(s)
}

// Check reads it.
func (Any) Check(r Reader, n *node.Node, _ string) { r.Any(n) }

// Check reads it.
func (s Text) Check(r Reader, n *node.Node, what string) { s.Read(r, n, what) }

// Check reads it.
func (Bool) Check(r Reader, n *node.Node, what string) { r.Bool(n, what) }

// Check reads it.
func (Span) Check(r Reader, n *node.Node, what string) { r.Duration(n, what) }

// Check reads it.
func (w Words) Check(r Reader, n *node.Node, what string) { r.OneOf(n, what, w...) }

// Check reads it.
func (s Number) Check(r Reader, n *node.Node, what string) {
	if s.Integer {
		s.Int(r, n, what)
		return
	}
	s.Float(r, n, what)
}

// Check reads all entries.
func (l List) Check(r Reader, n *node.Node, what string) {
	r.Items(n, what, func(_ int, v *node.Node) { l.Item.Check(r, v, "an entry of "+what) })
}

// Check reads all values.
func (m Map) Check(r Reader, n *node.Node, what string) {
	r.Each(n, what, func(key string, _, v *node.Node) { m.Value.Check(r, v, what+"."+key) })
}

// Check leaves it to the reader of the value.
func (Own) Check(r Reader, n *node.Node, _ string) { r.Any(n) }

// Read reads a text.
func (s Text) Read(r Reader, n *node.Node, what string) (string, bool) {
	v, ok := r.String(n, what)
	if ok && s.Filled && v == "" {
		r.Errorf(n, "empty-value", "%s is empty", what)
		return "", false
	}
	return v, ok
}

// Float reads a number.
func (s Number) Float(r Reader, n *node.Node, what string) (float64, bool) {
	f, ok := r.Float(n, what, s.Low, s.High)
	if ok && s.Above && f <= s.Low {
		r.Errorf(n, "out-of-range", "%s must be above %s, found %s", what, strconv.FormatFloat(s.Low, 'f', -1, 64), n.Value)
		return 0, false
	}
	return f, ok
}

// Int reads a whole number.
func (s Number) Int(r Reader, n *node.Node, what string) (int, bool) {
	low, high := math.MinInt, math.MaxInt
	if !math.IsInf(s.Low, -1) {
		low = int(s.Low)
	}
	if !math.IsInf(s.High, 1) {
		high = int(s.High)
	}
	return r.Int(n, what, low, high)
}
