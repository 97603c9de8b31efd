// Package jsonvalue compares, copies, walks through and writes decoded JSON: text, bool, nil, json.Number, float64,
// []any and map[string]any.
// Numbers are compared by what they are, not by how they were written.
package jsonvalue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Compact writes a value without spaces and without escaping what only HTML needs.
func Compact(v any) string {
	text, err := Plain(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// Plain is like json.Marshal, without escaping what only HTML needs: models, servers and checks read "Q&A", and no
// "Q\u0026A".
func Plain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// Text is a value as checks compare and match it: text as it is, numbers in their shortest form, lists and objects as
// compact JSON.
func Text(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case string:
		return x
	case bool:
		return fmt.Sprint(x)
	}
	if text, ok := NumberText(v); ok {
		return text
	}
	return Compact(v)
}

// EqualTexts compares two values by their texts, so that 42 equals "42"; lists item by item, objects by keys.
func EqualTexts(a, b any) bool {
	return equalBy(a, b, func(a, b any) bool {
		switch b.(type) {
		case nil, []any, Object:
			return false
		}
		return Text(a) == Text(b)
	})
}

// Equal is deep equality of JSON values: numbers by value, lists in order, objects by keys.
func Equal(a, b any) bool { return equalBy(a, b, equalScalars) }

func equalScalars(a, b any) bool {
	switch a.(type) {
	case bool, string:
		return a == b
	}
	s, ok1 := NumberText(a)
	t, ok2 := NumberText(b)
	return ok1 && ok2 && s == t
}

// equalBy is deep equality of JSON values: lists in order, objects by keys, null only with null, and scalars by
// scalars, of which the first argument is never a list, an object or null.
func equalBy(a, b any, scalars func(a, b any) bool) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, func(v, w any) bool { return equalBy(v, w, scalars) })
	case Object:
		y, ok := b.(Object)
		return ok && maps.EqualFunc(x, y, func(v, w any) bool { return equalBy(v, w, scalars) })
	}
	return scalars(a, b)
}
