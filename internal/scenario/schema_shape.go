package scenario

import (
	"fmt"
	"math"
	"strings"
)

// described is a shape that can say in JSON Schema what it takes. All shapes can.
type described interface {
	shape
	schema(w *schemaWriter) map[string]any
}

// keyed is the fields of a map, whatever they are read into.
type keyed interface {
	described
	title() string
	list() (keys []writable, open bool)
}

// writable is a key that may be written.
type writable struct {
	name           string
	shape          shape
	required, null bool
	read           bool // it has a reader
	silent         silence
	idle           string
	usual          []string
}

// schemaWriter makes one schema. Each table of fields gets one place in its definitions.
type schemaWriter struct {
	checks []CheckSchema
	defs   map[string]any
	tables map[keyed]string // names in defs
	guards bool             // there may be validators, whose checks have a direction
}

func (anyShape) schema(*schemaWriter) map[string]any { return map[string]any{} }

// schema takes numbers and booleans too, which are read as they are written.
func (textShape) schema(*schemaWriter) map[string]any {
	return map[string]any{"type": []string{"string", "number", "boolean"}}
}

// schema takes the words that YAML 1.1 counts among the booleans and editors read as text.
func (boolShape) schema(*schemaWriter) map[string]any {
	return anyOf(map[string]any{"type": "boolean"}, map[string]any{"enum": spokenBooleans})
}

var spokenBooleans = []string{"yes", "no", "on", "off", "Yes", "No", "On", "Off", "YES", "NO", "ON", "OFF"}

func (spanShape) schema(*schemaWriter) map[string]any {
	const number, units = `([0-9]+\.?[0-9]*|\.[0-9]+)`, `(ns|us|µs|μs|ms|s|m|h)`
	return map[string]any{"type": "string", "pattern": `^\+?(` + number + units + `)+$`}
}

func (s wordShape) schema(*schemaWriter) map[string]any {
	return map[string]any{"enum": []string(s)}
}

func (s numShape) schema(*schemaWriter) map[string]any {
	n := map[string]any{"type": "number"}
	if s.whole {
		n["type"] = "integer"
	}
	switch {
	case s.above:
		n["exclusiveMinimum"] = s.low
	case s.low > math.MinInt32:
		n["minimum"] = s.low
	}
	if s.high < math.MaxInt32 {
		n["maximum"] = s.high
	}
	return n
}

// schema takes a single text or word for a list of one.
func (l listShape) schema(w *schemaWriter) map[string]any {
	item := w.item(l.item)
	list := map[string]any{"type": "array", "items": item}
	switch l.item.(type) {
	case textShape, wordShape:
		return anyOf(item, list)
	}
	return list
}

// schema lets the values of a map to text be anything: most are written out as text where they are used.
func (m mapShape) schema(w *schemaWriter) map[string]any {
	s := map[string]any{"type": "object"}
	switch m.value.(type) {
	case anyShape, textShape:
	default:
		s["additionalProperties"] = w.item(m.value)
	}
	return s
}

func (f *fields[T]) schema(w *schemaWriter) map[string]any { return w.table(f) }

func (f *fields[T]) title() string { return f.what }

func (f *fields[T]) list() (keys []writable, open bool) {
	for _, x := range f.all() {
		if x.wrong == "" {
			keys = append(keys, writable{
				name: x.name, shape: x.shape, required: x.required, null: x.null,
				read: x.read != nil, silent: x.silent, idle: x.idle, usual: x.usual,
			})
		}
	}
	return keys, f.free
}

// of describes a shape.
func (w *schemaWriter) of(s shape) map[string]any {
	d, ok := s.(described)
	if !ok {
		panic(fmt.Sprintf("scenario: the shape %T has no schema", s))
	}
	return d.schema(w)
}

// table refers to the definition of a table.
func (w *schemaWriter) table(f keyed) map[string]any {
	name, done := w.tables[f]
	if !done {
		name = w.name(f.title())
		w.tables[f] = name
		w.defs[name] = nil // taken
		w.defs[name] = w.object(f)
	}
	return ref(name)
}

// name makes a name for a definition: "a tool of a pack" is tool-of-a-pack.
func (w *schemaWriter) name(title string) string {
	for _, article := range []string{"a ", "an ", "the "} {
		title = strings.TrimPrefix(title, article)
	}
	base := strings.ReplaceAll(title, " ", "-")
	name := base
	for i := 2; ; i++ {
		if _, taken := w.defs[name]; !taken {
			return name
		}
		name = fmt.Sprintf("%s-%d", base, i)
	}
}

// object describes a map with the keys of a table.
func (w *schemaWriter) object(f keyed) map[string]any {
	props := map[string]any{}
	object := map[string]any{"type": "object", "properties": props}
	keys, open := f.list()
	var needed []string
	for _, k := range keys {
		value := w.place(f, k)
		if k.null {
			value = anyOf(value, map[string]any{"type": "null"})
		}
		if text := about(f, k.name); text != "" {
			value["description"] = text
		} else if k.idle != "" {
			value["description"] = "Has no effect: " + k.idle + "."
		}
		props[k.name] = value
		if k.required {
			needed = append(needed, k.name)
		}
	}
	if !open {
		object["additionalProperties"] = false
	}
	if needed != nil {
		object["required"] = needed
	}
	w.complete(f, object)
	return object
}

func ref(name string) map[string]any { return map[string]any{"$ref": "#/$defs/" + name} }

func anyOf(choices ...map[string]any) map[string]any { return map[string]any{"anyOf": choices} }

func required(key string) map[string]any { return map[string]any{"required": []string{key}} }
