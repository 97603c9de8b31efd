package jsonvalue

import "iter"

// Object is an object of decoded JSON: arguments, details, metadata. It is another name and no other type, because all
// that looks through decoded JSON, redaction too, knows map[string]any alone.
type Object = map[string]any

// Map is a copy of a value in which each leaf, that is each text, number, boolean and null, is replaced.
func Map(v any, leaf func(any) any) any {
	switch v := v.(type) {
	case Object:
		if v == nil {
			return v
		}
		out := make(Object, len(v))
		for key, item := range v {
			out[key] = Map(item, leaf)
		}
		return out
	case []any:
		if v == nil {
			return v
		}
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = Map(item, leaf)
		}
		return out
	}
	return leaf(v)
}

// Clone is a copy that shares no object and no list with the value.
func Clone(v any) any { return Map(v, func(leaf any) any { return leaf }) }

// CloneObject is Clone for an object; nil stays nil.
func CloneObject(o Object) Object { return Clone(o).(Object) }

// Leaves are the texts, numbers, booleans and nulls in a value, in no order. Keys are none of them.
func Leaves(v any) iter.Seq[any] {
	return func(yield func(any) bool) { each(v, func(string) bool { return true }, yield) }
}

// Texts are the texts in a value and the keys of its objects, in no order.
func Texts(v any) iter.Seq[string] {
	return func(yield func(string) bool) {
		each(v, yield, func(leaf any) bool {
			text, is := leaf.(string)
			return !is || yield(text)
		})
	}
}

// each visits keys and leaves until one of the functions returns false.
func each(v any, key func(string) bool, leaf func(any) bool) bool {
	switch v := v.(type) {
	case Object:
		for name, item := range v {
			if !key(name) || !each(item, key, leaf) {
				return false
			}
		}
		return true
	case []any:
		for _, item := range v {
			if !each(item, key, leaf) {
				return false
			}
		}
		return true
	}
	return leaf(v)
}
