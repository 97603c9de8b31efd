package cassette

import (
	"encoding/json"
	"reflect"
	"slices"
)

// Redacts reports whether something must be removed from the outputs of the trial.
func (rec *Recorder) Redacts() bool { return rec != nil && rec.outputRedactor() != nil }

// LearnsSecrets reports whether a later exchange may show that earlier output holds a secret.
func (rec *Recorder) LearnsSecrets() bool {
	return rec != nil && (len(rec.redactFields) > 0 || rec.plays && rec.hasRedactedRequests())
}

// outputRedactor removes the secrets known so far from outputs.
func (rec *Recorder) outputRedactor() *redactor {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.outputs == nil {
		rec.outputs = rec.encoder.redactor.outputs()
		if rec.plays {
			rec.outputs = rec.replayRedactor.outputs()
		}
	}
	return rec.outputs
}

// Redact returns a copy of an output of the trial without secrets. Values of the types in keep are not changed. The
// trial itself continues with the original.
func Redact[T any](rec *Recorder, v T, keep ...reflect.Type) T {
	if !rec.Redacts() {
		return v
	}
	c := cleaner{redactor: rec.outputRedactor(), keep: keep}
	out := reflect.New(reflect.TypeFor[T]()).Elem()
	out.Set(c.clean(reflect.ValueOf(&v).Elem()))
	return out.Interface().(T)
}

// withoutSecrets removes known secrets from all texts and keys of v, before it is written to a cassette. Servers,
// models and tools may put them anywhere, also into ids and names.
func withoutSecrets[T any](enc encoder, v T) T {
	if enc.redactor == nil || enc.secrets == nil && len(enc.prefixes) == 0 {
		return v
	}
	c := cleaner{redactor: &redactor{secrets: enc.secrets, prefixes: enc.prefixes}, allTypes: true}
	out := reflect.New(reflect.TypeFor[T]()).Elem()
	out.Set(c.clean(reflect.ValueOf(&v).Elem()))
	return out.Interface().(T)
}

// protocolWords are words of the protocols, which a replay needs. They are no secrets, even if a secret has that value.
var protocolWords = []string{
	"system", "user", "assistant", "tool", "stop", "length", "tool_calls", "content_filter", "text", "image", "audio",
	"video", "document", "auto", "required", "none", "auth", "rate_limit", "timeout", "transport", "bad_reply", "refused",
	"validation", "execution", "unavailable", "approval",
}

// cleaner removes secrets from values of any type.
type cleaner struct {
	*redactor
	keep     []reflect.Type
	allTypes bool // also string types of arena
}

func (c cleaner) clean(v reflect.Value) reflect.Value {
	for _, t := range c.keep {
		if v.Type() == t {
			return v
		}
	}
	switch v.Kind() {
	case reflect.String:
		return c.stringValue(v)
	case reflect.Pointer, reflect.Interface:
		return c.pointer(v)
	case reflect.Slice:
		return c.list(v)
	case reflect.Map:
		return c.object(v)
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			switch f := v.Type().Field(i); {
			case f.Name == "BadArgs" && f.Type.Kind() == reflect.String:
				out.Field(i).SetString(c.badArgs(v.Field(i).String()))
			case f.IsExported():
				out.Field(i).Set(c.clean(v.Field(i)))
			}
		}
		return out
	default:
		return v
	}
}

// stringValue handles texts. Other string types hold arena's own words.
func (c cleaner) stringValue(v reflect.Value) reflect.Value {
	if !c.allTypes && v.Type() != reflect.TypeFor[string]() || c.allTypes && slices.Contains(protocolWords, v.String()) {
		return v
	}
	return reflect.ValueOf(string(c.text(v.String()))).Convert(v.Type())
}

func (c cleaner) pointer(v reflect.Value) reflect.Value {
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

// object handles maps. It also removes the values of the fields that the user named.
func (c cleaner) object(v reflect.Value) reflect.Value {
	if v.IsNil() || v.Type().Key().Kind() != reflect.String {
		return v
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for it := v.MapRange(); it.Next(); {
		value := it.Value()
		switch elem := v.Type().Elem(); {
		case !c.named(it.Key().String()):
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
