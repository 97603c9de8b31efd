package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonschema"
)

// schema is a compiled JSON Schema (draft 7 where it names none) with its document, which coerce reads. A nil schema
// accepts everything, as does one that cannot be compiled.
type schema struct {
	compiled *jsonschema.Schema
	doc      map[string]any // nil: it is no object
	broken   error          // why it cannot be compiled; nil: it is
}

func compileSchema(raw json.RawMessage) (*schema, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	v, err := chat.DecodeJSON(raw)
	if err != nil {
		return nil, err
	}
	doc, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("a schema must be an object")
	}
	compiled, err := jsonschema.Compile(v, jsonschema.Options{Drafts: []jsonschema.Draft{jsonschema.Draft7}})
	if err != nil {
		return nil, err
	}
	return &schema{compiled: compiled, doc: doc}, nil
}

// UncheckedError says that it is not known whether arguments fit a tool: its schema cannot be compiled.
type UncheckedError struct {
	Tool string
	Err  error
}

func (e *UncheckedError) Error() string {
	return fmt.Sprintf("the schema of %s cannot be compiled: %v", e.Tool, e.Err)
}

func (e *UncheckedError) Unwrap() error { return e.Err }

// brokenSchema takes the place of an external schema that cannot be compiled.
func brokenSchema(raw json.RawMessage, why error) *schema {
	v, _ := chat.DecodeJSON(raw) // when it is no JSON, why says so
	doc, _ := v.(map[string]any)
	return &schema{doc: doc, broken: why}
}

func (s *schema) validate(v any) error {
	if s == nil || s.broken != nil {
		return nil
	}
	if n, found := chat.Unwieldy(v); found {
		return fmt.Errorf("the number %s is too large to work with", shorten(n))
	}
	return s.compiled.Validate(v)
}

// validateText validates a result: as JSON, or else as a string.
func (s *schema) validateText(text string) error {
	if s == nil {
		return nil
	}
	v, err := chat.DecodeJSON([]byte(text))
	if err != nil {
		return s.validate(text)
	}
	problem := s.validate(v)
	if problem != nil && s.validate(text) == nil {
		return nil
	}
	return problem
}

// coerce returns a copy of arguments with common mistakes of models repaired by the declared types: a number or boolean
// sent as text, a list or object sent as JSON text, an enum value in another case, and optional arguments sent as null
// or "".
func (s *schema) coerce(args map[string]any) map[string]any {
	if s == nil || s.broken != nil {
		return args
	}
	return coerceObject(s.doc, args)
}

func coerceObject(schema, args map[string]any) map[string]any {
	properties, _ := schema["properties"].(map[string]any)
	if len(properties) == 0 {
		return args
	}
	required, _ := schema["required"].([]any)
	out := make(map[string]any, len(args))
	for name, v := range args {
		property, declared := properties[name].(map[string]any)
		if !declared {
			out[name] = v
			continue
		}
		if (v == nil || v == "") && !slices.Contains(required, any(name)) && !accepts(property, v) {
			continue
		}
		out[name] = coerceValue(property, v)
	}
	return out
}

// accepts reports whether a schema allows null, or an empty text, by its type.
func accepts(schema map[string]any, v any) bool {
	want := "null"
	if v != nil {
		want = "string"
	}
	switch t := schema["type"].(type) {
	case string:
		return t == want && schema["enum"] == nil
	case []any:
		return slices.Contains(t, any(want)) && schema["enum"] == nil
	}
	return schema["type"] == nil && schema["enum"] == nil
}

func coerceValue(schema map[string]any, v any) any {
	if m, ok := v.(map[string]any); ok {
		return coerceObject(schema, m)
	}
	text, ok := v.(string)
	if !ok {
		return v
	}
	switch schema["type"] {
	case "integer", "number":
		if n := strings.TrimSpace(text); isNumber(n) {
			return json.Number(n)
		}
	case "boolean":
		if b, err := strconv.ParseBool(strings.ToLower(text)); err == nil {
			return b
		}
	case "array", "object":
		if decoded, err := chat.DecodeJSON([]byte(text)); err == nil {
			return decoded
		}
	case "string", nil:
		return enumCase(schema, text)
	}
	return v
}

func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && json.Valid([]byte(s))
}

func enumCase(schema map[string]any, text string) string {
	values, _ := schema["enum"].([]any)
	if slices.Contains(values, any(text)) {
		return text
	}
	for _, e := range values {
		if s, ok := e.(string); ok && strings.EqualFold(s, text) {
			return s
		}
	}
	return text
}
