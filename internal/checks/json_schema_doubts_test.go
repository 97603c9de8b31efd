package checks

import (
	"strings"
	"testing"
)

// TestSchemaPartsThatAskForNothing: there is a warning of schema parts without effect, and of no others.
func TestSchemaPartsThatAskForNothing(t *testing.T) {
	t.Parallel()
	for schema, code := range map[string]string{
		`{type: object, properties: {sku: {type: string, pattern: "B*"}}}`:                             "asks-nothing",
		`{type: object, properties: {sku: {type: string, pattern: "B|"}}}`:                             "asks-nothing",
		`{type: object, propertyNames: {pattern: "B|"}}`:                                               "asks-nothing",
		`{type: object, properties: {sku: {type: string, pattern: ".*"}}}`:                             "",
		`{type: object, definitions: {total: {type: string}}}`:                                         "idle-keyword",
		`{type: object, definitions: {t: {type: string}}, properties: {a: {$ref: "#/definitions/t"}}}`: "",
		`{type: object, properties: {sku: {type: string}}, not: {required: [sku]}}`:                    "",
		`{type: object, properties: {sku: {type: string}}, not: {required: [error]}}`:                  "",
		`{type: object, properties: {sku: {not: {enum: ["A,B"]}}}}`:                                    "looks-like-slip",
		`{type: object, properties: {sku: {enum: ["A,B"]}}}`:                                           "",
		`{type: object, properties: {sku: {not: {enum: [A, B]}}}}`:                                     "",
		`{type: object, anyOf: [{required: [zz]}, {}]}`:                                                "idle-keyword",
		`{type: object, allOf: [{}]}`:                                                                  "idle-keyword",
		`{type: object, allOf: [{}, {required: [a]}]}`:                                                 "",
		`{type: object, properties: {"sku\u200b": {type: string}}}`:                                    "odd-name",
		`{type: object, properties: {"\u00a0sku": {type: string}}}`:                                    "odd-name",
		`{type: object, properties: {"sku ": {type: string}}}`:                                         "odd-name",
		`{type: object, properties: {"größe": {type: string}}}`:                                        "",
	} {
		_, problems := compileYAML("json_schema", "schema: "+schema)
		var codes []string
		for _, p := range besideOptional(problems) {
			codes = append(codes, p.Code)
		}
		if got := strings.Join(codes, " "); got != code {
			t.Errorf("%s: %q, want %q: %v", schema, got, code, problems)
		}
	}
}
