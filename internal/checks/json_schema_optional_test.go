package checks

import (
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

// besideOptional removes the warnings that a schema requires nothing, which short samples get.
func besideOptional(problems []diag.Diagnostic) []diag.Diagnostic {
	return slices.DeleteFunc(problems, func(p diag.Diagnostic) bool { return p.Code == "all-optional" })
}

// TestSchemasThatRequireNothing: a schema with properties of which none is required accepts an empty object.
func TestSchemasThatRequireNothing(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]bool{
		`{type: object, properties: {a: {type: string}}}`:                                                           true,
		`{properties: {a: {type: string}}}`:                                                                         true,
		`{type: object, properties: {a: {type: string}}, additionalProperties: true}`:                               true,
		`{type: array, items: {type: object, properties: {a: {type: string}}}}`:                                     true,
		`{type: object, properties: {a: {type: string}}, required: [a]}`:                                            false,
		`{type: object, properties: {a: {type: string}}, additionalProperties: false}`:                              false,
		`{type: object, properties: {a: {type: string}}, minProperties: 1}`:                                         false,
		`{type: object, properties: {a: {type: string}}, anyOf: [{required: [a]}]}`:                                 false,
		`{type: object, properties: {}}`:                                                                            false,
		`{type: object, required: [a], properties: {a: {type: object, properties: {b: {type: string}}}}}`:           true,
		`{type: object, required: [c], properties: {a: {type: object, properties: {b: {type: string}}}}}`:           false,
		`{type: object, required: [a], properties: {a: {type: array, items: {type: object, properties: {b: {}}}}}}`: true,
		`{type: object, required: [a], properties: {a: {type: object, required: [b], properties: {b: {}}}}}`:        false,
		`{not: {type: object, required: [a], properties: {a: {type: object}}}}`:                                     false,
	} {
		for _, check := range []string{"json_schema", "contains_json"} {
			_, problems := compileYAML(check, "schema: "+schema)
			told := slices.ContainsFunc(problems, func(p diag.Diagnostic) bool { return p.Code == "all-optional" })
			if told != want {
				t.Errorf("%s: %s: told %v: %v", check, schema, told, problems)
			}
		}
	}
}
