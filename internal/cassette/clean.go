package cassette

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// Redacts reports whether there is anything that nothing of the trial may hold once it is written.
func (t *Tape) Redacts() bool { return t != nil && t.shows() != nil }

// Learns reports whether what comes in the trial may show that something of what came before must not be written.
func (t *Tape) Learns() bool { return t != nil && (len(t.fields) > 0 || t.plays && t.blinds()) }

// shows takes out of what is written what is known by now.
func (t *Tape) shows() *redactor {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.plays {
		return t.shown
	}
	return t.pen.redactor
}

// Clean is a copy of what is about to be written of a trial, without what no cassette may hold; values of the types in
// keep stay as they are. The trial itself, and what judges it, go on with the values.
func Clean[T any](t *Tape, v T, keep ...reflect.Type) T {
	if !t.Redacts() {
		return v
	}
	c := cleaner{redactor: t.shows(), keep: keep}
	out := reflect.New(reflect.TypeFor[T]()).Elem()
	out.Set(c.clean(reflect.ValueOf(&v).Elem()))
	return out.Interface().(T)
}

// spotless is v, which is about to be written into a cassette, without a known secret in any of its texts and keys.
// What servers, models and tools say may stand in each of them, ids and names included.
func spotless[T any](p pen, v T) T {
	if p.redactor == nil || p.secrets == nil {
		return v
	}
	c := cleaner{redactor: &redactor{secrets: p.secrets}, all: true}
	out := reflect.New(reflect.TypeFor[T]()).Elem()
	out.Set(c.clean(reflect.ValueOf(&v).Elem()))
	return out.Interface().(T)
}

// plainWords are words of the protocols, which a replay acts on. They tell nothing, whatever has them for a value.
var plainWords = []string{
	"system", "user", "assistant", "tool", "stop", "length", "tool_calls", "content_filter", "text", "image", "audio",
	"video", "document", "auto", "required", "none", "auth", "rate_limit", "timeout", "transport", "bad_reply", "refused",
	"validation", "execution", "approval",
}

type cleaner struct {
	*redactor
	keep []reflect.Type
	all  bool // words of arena as well
}

func (c cleaner) clean(v reflect.Value) reflect.Value {
	for _, t := range c.keep {
		if v.Type() == t {
			return v
		}
	}
	switch v.Kind() {
	case reflect.String:
		return c.string(v)
	case reflect.Pointer, reflect.Interface:
		return c.inside(v)
	case reflect.Slice:
		return c.list(v)
	case reflect.Map:
		return c.object(v)
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(c.clean(v.Field(i)))
			}
		}
		return out
	default:
		return v
	}
}

// string takes care of texts; words of a type of their own are words of arena.
func (c cleaner) string(v reflect.Value) reflect.Value {
	if !c.all && v.Type() != reflect.TypeFor[string]() || c.all && slices.Contains(plainWords, v.String()) {
		return v
	}
	return reflect.ValueOf(string(c.text(v.String()))).Convert(v.Type())
}

func (c cleaner) inside(v reflect.Value) reflect.Value {
	if v.IsNil() {
		return v
	}
	if n, ok := reflect.TypeAssert[json.Number](v); ok && string(c.text(n.String())) != n.String() {
		return reflect.ValueOf(redacted)
	}
	inner := c.clean(v.Elem())
	if v.Kind() == reflect.Interface {
		return inner
	}
	out := reflect.New(v.Type().Elem())
	out.Elem().Set(inner)
	return out
}

func (c cleaner) list(v reflect.Value) reflect.Value {
	if v.IsNil() {
		return v
	}
	if data, ok := reflect.TypeAssert[json.RawMessage](v); ok {
		return reflect.ValueOf(json.RawMessage(c.raw(data)))
	}
	if k := v.Type().Elem().Kind(); k <= reflect.Complex128 { // numbers
		return v
	}
	out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		out.Index(i).Set(c.clean(v.Index(i)))
	}
	return out
}

// object takes care of free objects: their fields are those that the user named.
func (c cleaner) object(v reflect.Value) reflect.Value {
	if v.IsNil() || v.Type().Key().Kind() != reflect.String {
		return v
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for it := v.MapRange(); it.Next(); {
		value := it.Value()
		switch elem := v.Type().Elem(); {
		case !c.fields[strings.ToLower(it.Key().String())]:
			value = c.clean(value)
		case elem.Kind() == reflect.Interface || elem.Kind() == reflect.String:
			value = reflect.ValueOf(redacted).Convert(elem)
		default:
			value = reflect.Zero(elem)
		}
		out.SetMapIndex(c.clean(it.Key()), value)
	}
	return out
}
