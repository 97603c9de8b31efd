package events

import (
	"reflect"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// Field is a member of a JSON object, read from the tags json and doc of a Go struct.
type Field struct {
	Name     string
	Doc      string
	Optional bool // it may be absent
	Nullable bool // it may be null
	typ      reflect.Type
}

// fieldsOf lists the members of a struct, with those of embedded structs.
func fieldsOf(t reflect.Type) []Field {
	var fields []Field
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case f.Anonymous:
			fields = append(fields, fieldsOf(f.Type)...)
		case name != "":
			field := Field{Name: name, Doc: f.Tag.Get("doc"), Optional: strings.HasPrefix(options, "omit"), typ: f.Type}
			if f.Type.Kind() == reflect.Pointer {
				field.Nullable, field.typ = !field.Optional, f.Type.Elem()
			}
			fields = append(fields, field)
		}
	}
	return fields
}

// Fields are the members of the object that the field holds, or of the objects of its list; nil for other fields.
func (f *Field) Fields() []Field {
	t := f.typ
	if f.List() {
		t = t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return nil
	}
	return fieldsOf(t)
}

// List reports whether the field holds a list.
func (f *Field) List() bool { return f.typ.Kind() == reflect.Slice }

// Type describes in words what the field holds.
func (f *Field) Type() string {
	text := words(f.typ)
	if f.Nullable {
		text += " or null"
	}
	return text
}

func words(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time"
	case enums(t) != nil:
		return "word"
	}
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "whole number"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "list of " + words(t.Elem()) + "s"
	default:
		return "object"
	}
}

// enums are the values of an enumeration type; nil for other types.
func enums(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[result.Status]():
		var list []string
		for _, s := range result.Statuses() {
			list = append(list, s.String())
		}
		return list
	case reflect.TypeFor[result.Action]():
		return []string{string(result.Recorded), string(result.Replaced), string(result.Cut), string(result.Blocked)}
	case reflect.TypeFor[result.GateRule]():
		return []string{string(result.RuleGate), string(result.RuleCount)}
	case reflect.TypeFor[result.GateReason]():
		var list []string
		for _, reason := range result.GateReasons() {
			list = append(list, string(reason))
		}
		return list
	case reflect.TypeFor[chat.Role]():
		return []string{string(chat.System), string(chat.User), string(chat.Assistant), string(chat.ToolRole)}
	case reflect.TypeFor[result.EventKind]():
		var list []string
		for _, k := range Catalogue() {
			list = append(list, string(k.Name))
		}
		return list
	}
	return nil
}
