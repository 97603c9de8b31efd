package checks

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
)

// codec reads values of one Go type from nodes.
type codec struct {
	label  string         // the type in words
	schema map[string]any // the type as JSON Schema
	decode func(b *binder, n *node.Node, what string, dst reflect.Value) bool
	preset func(dst reflect.Value) // sets the default; nil when there is none
	null   bool                    // null is a value of the type
	inner  *layout                 // of a struct, or of those in a list or map; nil for anything else
}

// paramValue is a parameter type that reads itself. The methods are on the pointer.
type paramValue interface {
	take(b *binder, n *node.Node, what string) bool
	describe() (label string, schema map[string]any)
}

// codecOf covers booleans, whole and other numbers, text, time spans, any value, paramValues, structs, and pointers
// to, lists of and maps from text to all of these. Another type in a parameter struct is a mistake of ours and panics
// in the tests.
func codecOf(t reflect.Type, r rules) codec {
	if v, ok := reflect.TypeAssert[paramValue](reflect.New(t)); ok {
		return ownCodec(v)
	}
	if t == reflect.TypeFor[time.Duration]() {
		return durationCodec(r)
	}
	switch t.Kind() {
	case reflect.Bool:
		return boolCodec(r)
	case reflect.Int:
		return intCodec(r)
	case reflect.Float64:
		return floatCodec(r)
	case reflect.String:
		return textCodec(r)
	case reflect.Pointer:
		return pointerCodec(t, codecOf(t.Elem(), r))
	case reflect.Slice:
		return listCodec(t, codecOf(t.Elem(), r))
	case reflect.Map:
		return mapCodec(t, codecOf(t.Elem(), r))
	case reflect.Struct:
		return structCodec(t)
	case reflect.Interface:
		return anyCodec()
	}
	panic(fmt.Sprintf("checks: no parameter can be of type %s", t))
}

func ownCodec(v paramValue) codec {
	label, schema := v.describe()
	_, null := v.(*anyValue)
	return codec{label: label, schema: schema, null: null,
		decode: func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
			return dst.Addr().Interface().(paramValue).take(b, n, what)
		}}
}

func boolCodec(r rules) codec {
	c := codec{label: "true or false", schema: map[string]any{"type": "boolean"}}
	c.decode = func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
		v, ok := b.r.Bool(n, what)
		dst.SetBool(v)
		return ok
	}
	if v, err := strconv.ParseBool(r.fallback); err == nil {
		c.preset = func(dst reflect.Value) { dst.SetBool(v) }
	}
	return c
}

func intCodec(r rules) codec {
	low, high := math.MinInt, math.MaxInt
	if r.low != nil {
		low = int(*r.low)
	}
	if r.high != nil {
		high = int(*r.high)
	}
	c := codec{label: "whole number", schema: r.bounds("integer")}
	c.decode = func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
		v, ok := b.r.Int(n, what, low, high)
		dst.SetInt(int64(v))
		return ok
	}
	if v, err := strconv.ParseInt(r.fallback, 10, 64); err == nil {
		c.preset = func(dst reflect.Value) { dst.SetInt(v) }
	}
	return c
}

func floatCodec(r rules) codec {
	low, high := math.Inf(-1), math.Inf(1)
	if r.low != nil {
		low = *r.low
	}
	if r.high != nil {
		high = *r.high
	}
	c := codec{label: "number", schema: r.bounds("number")}
	c.decode = func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
		v, ok := b.r.Float(n, what, low, high)
		if ok && r.above && v <= low {
			b.r.Errorf(n, "out-of-range", "%s must be above %s, found %s", what, say.Decimal(low), n.Value)
			ok = false
		}
		dst.SetFloat(v)
		return ok
	}
	if v, err := strconv.ParseFloat(r.fallback, 64); err == nil {
		c.preset = func(dst reflect.Value) { dst.SetFloat(v) }
	}
	return c
}

// bounds is the JSON Schema of a number within the rules.
func (r rules) bounds(kind string) map[string]any {
	s := map[string]any{"type": kind}
	if r.low != nil && r.above {
		s["exclusiveMinimum"] = *r.low
	} else if r.low != nil {
		s["minimum"] = *r.low
	}
	if r.high != nil {
		s["maximum"] = *r.high
	}
	return s
}

// textCodec reads text that is not empty. Numbers and booleans are taken as they are written.
func textCodec(r rules) codec {
	c := codec{label: "text", schema: map[string]any{"type": "string", "minLength": 1}}
	if r.words != nil {
		c.label, c.schema = "one of "+say.Or(r.words), map[string]any{"enum": r.words}
	}
	c.decode = func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
		if r.words != nil {
			v, ok := b.r.OneOf(n, what, r.words...)
			dst.SetString(v)
			return ok
		}
		v, ok := b.r.String(n, what)
		if ok && v == "" {
			b.r.Errorf(n, "empty-value", "%s is empty", what)
			return false
		}
		dst.SetString(v)
		return ok
	}
	if r.fallback != "" {
		c.preset = func(dst reflect.Value) { dst.SetString(r.fallback) }
	}
	return c
}

func durationCodec(r rules) codec {
	c := codec{label: "time span such as 30s", schema: map[string]any{"type": "string"}}
	c.decode = func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
		v, ok := b.r.Duration(n, what)
		dst.SetInt(int64(v))
		return ok
	}
	if v, err := time.ParseDuration(r.fallback); err == nil {
		c.preset = func(dst reflect.Value) { dst.SetInt(int64(v)) }
	}
	return c
}

// pointerCodec is for parameters for which being left out is not the same as the zero value.
func pointerCodec(t reflect.Type, elem codec) codec {
	return codec{label: elem.label, schema: elem.schema, null: elem.null, inner: elem.inner,
		decode: func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
			v := reflect.New(t.Elem())
			dst.Set(v)
			return elem.decode(b, n, what, v.Elem())
		}}
}

// listCodec reads a list that is not empty; anything else is a list of one.
func listCodec(t reflect.Type, elem codec) codec {
	return codec{label: "list of " + elem.label, inner: elem.inner,
		schema: map[string]any{"anyOf": []any{
			elem.schema, map[string]any{"type": "array", "items": elem.schema, "minItems": 1},
		}},
		decode: func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
			items := []*node.Node{n}
			if n.Kind == node.List {
				items = n.Content
			}
			if len(items) == 0 {
				b.r.Errorf(n, "empty-value", "%s is empty", what)
				return false
			}
			list, ok := reflect.MakeSlice(t, len(items), len(items)), true
			for i, item := range items {
				at := what
				if n.Kind == node.List {
					at = fmt.Sprintf("%s[%d]", what, i)
				}
				ok = elem.decode(b, item, at, list.Index(i)) && ok
			}
			dst.Set(list)
			return ok
		}}
}

func mapCodec(t reflect.Type, elem codec) codec {
	return codec{label: "map to " + elem.label, inner: elem.inner,
		schema: map[string]any{"type": "object", "additionalProperties": elem.schema},
		decode: func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
			m, ok := reflect.MakeMap(t), true
			walked := b.r.Each(n, what, func(key string, _, v *node.Node) {
				item := reflect.New(t.Elem()).Elem()
				ok = elem.decode(b, v, what+"."+key, item) && ok
				m.SetMapIndex(reflect.ValueOf(key), item)
			})
			dst.Set(m)
			return ok && walked
		}}
}

// anyCodec reads a value of any shape, as JSON would hold it.
func anyCodec() codec {
	label, schema := (*anyValue)(nil).describe()
	return codec{label: label, schema: schema, null: true,
		decode: func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
			var v anyValue
			ok := v.take(b, n, what)
			if v.v != nil {
				dst.Set(reflect.ValueOf(v.v))
			}
			return ok
		}}
}

func structCodec(t reflect.Type) codec {
	l := layoutOf(t)
	return codec{label: "map with " + l.list(), schema: l.schema(), inner: l,
		decode: func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
			return b.fill(l, n, what, dst)
		}}
}
