package jsonvalue

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Explain translates errors of encoding/json from Go's terms to JSON's. Other errors stay unchanged.
func Explain(err error) error {
	if what := Mismatch(err); what != "" {
		return errors.New(what)
	}
	return err
}

// Mismatch describes a value of the wrong type in a JSON document; "" for any other error.
func Mismatch(err error) string {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return ""
	}
	what, expected := wrong.Field, "an object"
	if what == "" {
		what = "all of it"
	}
	switch wrong.Type.Kind() {
	case reflect.Slice, reflect.Array:
		expected = "a list"
	case reflect.String:
		expected = "text"
	case reflect.Int, reflect.Int32, reflect.Int64:
		expected = "a whole number"
	case reflect.Float64:
		expected = "a number"
	case reflect.Bool:
		expected = "true or false"
	default:
	}
	kind, literal, _ := strings.Cut(wrong.Value, " ")
	found := map[string]string{
		"array": "a list", "string": "text", "bool": "true or false", "object": "an object", "number": "a number",
		"null": "null",
	}[kind]
	if literal != "" && len(literal) <= 40 {
		found = literal
	}
	return fmt.Sprintf("%s must be %s, found %s", what, expected, found)
}
