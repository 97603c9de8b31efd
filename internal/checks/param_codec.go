package checks

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// codec reads values of one Go type from nodes.
type codec struct {
	shape  keys.Shape
	decode func(b *binder, n *node.Node, what string, dst reflect.Value) bool
	preset func(dst reflect.Value) // sets the default; nil: none
	null   bool                    // null is a valid value
	inner  *layout                 // layout of a struct, or of the structs in a list or map; nil for other types
}

// paramValue is a parameter type with its own reader. The methods are on the pointer.
type paramValue interface {
	take(b *binder, n *node.Node, what string) bool
	shape() keys.Shape
}

// codecOf supports booleans, whole and other numbers, text, durations, any value, paramValues, structs, and pointers
// to, lists of and maps from text to all of these. For another type it panics, which the tests find.
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
	_, null := v.(*anyValue)
	return codec{shape: v.shape(), null: null,
		decode: func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
			return dst.Addr().Interface().(paramValue).take(b, n, what)
		}}
}

func boolCodec(r rules) codec {
	c := codec{shape: keys.Bool{}}
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
	shape := r.number(true)
	c := codec{shape: shape}
	c.decode = func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
		v, ok := shape.Int(b.r, n, what)
		dst.SetInt(int64(v))
		return ok
	}
	if v, err := strconv.ParseInt(r.fallback, 10, 64); err == nil {
		c.preset = func(dst reflect.Value) { dst.SetInt(v) }
	}
	return c
}

func floatCodec(r rules) codec {
	shape := r.number(false)
	c := codec{shape: shape}
	c.decode = func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
		v, ok := shape.Float(b.r, n, what)
		dst.SetFloat(v)
		return ok
	}
	if v, err := strconv.ParseFloat(r.fallback, 64); err == nil {
		c.preset = func(dst reflect.Value) { dst.SetFloat(v) }
	}
	return c
}

// filled is text that is not empty. Numbers and booleans are taken as text.
var filled = keys.Text{Filled: true}

func textCodec(r rules) codec {
	c := codec{shape: filled}
	read := func(b *binder, n *node.Node, what string) (string, bool) { return filled.Read(b.r, n, what) }
	if r.words != nil {
		c.shape = keys.Words(r.words)
		read = func(b *binder, n *node.Node, what string) (string, bool) { return b.r.OneOf(n, what, r.words...) }
	}
	c.decode = func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
		v, ok := read(b, n, what)
		dst.SetString(v)
		return ok
	}
	if r.fallback != "" {
		c.preset = func(dst reflect.Value) { dst.SetString(r.fallback) }
	}
	return c
}

func durationCodec(r rules) codec {
	c := codec{shape: keys.Span{}}
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

// pointerCodec is for parameters whose absence differs from the zero value.
func pointerCodec(t reflect.Type, elem codec) codec {
	return codec{shape: elem.shape, null: elem.null, inner: elem.inner,
		decode: func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
			v := reflect.New(t.Elem())
			dst.Set(v)
			return elem.decode(b, n, what, v.Elem())
		}}
}

// listCodec reads a list that is not empty; a single value is a list of one.
func listCodec(t reflect.Type, elem codec) codec {
	return codec{shape: keys.List{Item: elem.shape, Single: true, Filled: true}, inner: elem.inner,
		decode: func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
			if n.Kind == node.Scalar && elem.inner != nil { // neither a list nor one of its maps
				return b.r.Items(n, what, nil)
			}
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
	return codec{shape: keys.Map{Value: elem.shape}, inner: elem.inner,
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
	return codec{shape: keys.Any{}, null: true,
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
	return codec{shape: l, inner: l,
		decode: func(b *binder, n *node.Node, what string, dst reflect.Value) bool {
			return b.fill(l, n, what, dst)
		}}
}
