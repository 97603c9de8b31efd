package jsonschema_test

import (
	"errors"
	"testing"

	"github.com/arena-evals/arena/internal/jsonschema"
)

// TestEndless: an endless schema is refused; a recursive one for parts of a value is not.
func TestEndless(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"$ref": "#"}`:                                true,
		`{"allOf": [{"$ref": "#"}]}`:                   true,
		`{"anyOf": [{"type": "null"}, {"$ref": "#"}]}`: true,
		`{"oneOf": [{"$ref": "#"}]}`:                   true,
		`{"not": {"$ref": "#"}}`:                       true,
		`{"if": {"$ref": "#"}}`:                        true,
		`{"if": {}, "then": {"$ref": "#"}}`:            true,
		`{"if": {}, "else": {"$ref": "#"}}`:            true,
		`{"dependentSchemas": {"a": {"$ref": "#"}}}`:   true,
		`{"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": {"$ref": "#"}}}`:                    true,
		`{"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveRef": "#"}`:                               true,
		`{"$dynamicAnchor": "x", "$dynamicRef": "#x"}`:                                                                    true,
		`{"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}`: true,
		`{"items": {"allOf": [{"$ref": "#/items"}]}}`:                                                                     true,
		`{"properties": {"a": {"$ref": "#"}}}`:                                                                            false,
		`{"items": {"$ref": "#"}}`:                                                                                        false,
		`{"prefixItems": [{"$ref": "#"}]}`:                                                                                false,
		`{"additionalProperties": {"$ref": "#"}}`:                                                                         false,
		`{"allOf": [{"properties": {"a": {"$ref": "#"}}}]}`:                                                               false,
		`{"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}`:                                                       false,
		`{"$ref": "https://json-schema.org/draft/2020-12/schema"}`:                                                        false,
	} {
		_, err := jsonschema.Compile(decode(t, text), plain)
		var unfit *jsonschema.SchemaError
		if errors.As(err, &unfit) != want || err != nil != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
