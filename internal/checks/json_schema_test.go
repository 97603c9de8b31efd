package checks

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
)

// judged compiles a check with parameters as JSON and judges a text.
func judged(t *testing.T, name, params, output string) result.Verdict {
	t.Helper()
	v, problems := Try(context.Background(), name, params, output, ScopeTurn)
	if v == nil {
		t.Fatalf("%s %s: %v", name, params, problems)
	}
	return *v
}

func TestSchemaDrafts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, schema, good, bad string
	}{
		{"draft 4 bounds, not named", `{"minimum": 3, "exclusiveMinimum": true}`, "4", "3"},
		{"draft 4", `{"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 3, "exclusiveMinimum": true}`,
			"4", "3"},
		{"draft 6", `{"$schema": "http://json-schema.org/draft-06/schema#", "contains": {"const": 1}}`, "[0, 1]", "[0]"},
		{"draft 7 tuples, not named", `{"items": [{"type": "string"}], "additionalItems": false}`, `["a"]`, `["a", 1]`},
		{"draft 7 dependencies, not named", `{"dependencies": {"a": ["b"]}}`, `{"a": 1, "b": 2}`, `{"a": 1}`},
		{"2019-09", `{"$schema": "https://json-schema.org/draft/2019-09/schema", "dependentRequired": {"a": ["b"]}}`,
			`{}`, `{"a": 1}`},
		{"2020-12", `{"prefixItems": [{"type": "string"}], "items": false}`, `["a"]`, `["a", 1]`},
		{"format", `{"format": "date"}`, `"2031-07-04"`, `"2031-13-04"`},
		{"format of 2020-12", `{"$schema": "https://json-schema.org/draft/2020-12/schema", "format": "uuid"}`,
			`"123e4567-e89b-12d3-a456-426614174000"`, `"x"`},
		{"a reference into any keyword", `{"properties": {"a": {"type": "integer"}, "b": {"$ref": "#/properties/a"}}}`,
			`{"b": 4.0}`, `{"b": "4"}`},
		{"a reference to itself", `{"properties": {"next": {"$ref": "#"}}, "required": ["id"]}`,
			`{"id": 1, "next": {"id": 2}}`, `{"id": 1, "next": {}}`},
		{"long integers", `{"const": 12345678901234567890}`, "12345678901234567890", "12345678901234567891"},
	} {
		params := `{"schema": ` + tc.schema + `}`
		if v := judged(t, "json_schema", params, tc.good); v.Status != result.Passed {
			t.Errorf("%s: %s does not fit: %s%s", tc.name, tc.good, v.Explanation, v.Error)
		}
		if v := judged(t, "json_schema", params, tc.bad); v.Status != result.Failed {
			t.Errorf("%s: %s is %s", tc.name, tc.bad, v.Status)
		}
	}
}

func TestSchemasThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ schema, says string }{
		{`{"type": "objekt"}`, "1:21 json_schema: schema cannot be used: /type: "},
		{`{"properties": {"a": {"pattern": "("}}}`, "1:45 json_schema: schema cannot be used: "},
		{`{"patternProperties": {"(": {}}}`, "schema cannot be used: "},
		{`{"allOf": [{}, {"type": 3}]}`, "1:36 json_schema: schema cannot be used: /allOf/1/type: "},
		{`{"properties": {"a": {"minLength": "3"}}}`, "1:47 json_schema: schema cannot be used: /properties/a/minLength: "},
		{`{"$ref": "#/definitions/none"}`, "schema cannot be used: "},
		{`{"$ref": "#none"}`, "schema cannot be used: "},
		{`{"$ref": "file:///etc/passwd"}`, `"file:///etc/passwd" is not part of the schema, and nothing is loaded`},
		{`{"$ref": "https://example.com/a.json#/b"}`, `"https://example.com/a.json" is not part of the schema`},
		{`{"$schema": "https://example.com/mine"}`, "schema cannot be used: "},
	} {
		v, problems := Try(t.Context(), "json_schema", `{"schema": `+tc.schema+`}`, "{}", ScopeTurn)
		if v != nil || len(problems) != 1 {
			t.Errorf("%s: %v %v", tc.schema, v, problems)
			continue
		}
		p := problems[0]
		got := strings.TrimPrefix(p.Pos.String(), "params.json:") + " " + p.Msg
		if p.Code != "bad-schema" || !strings.Contains(got, tc.says) || strings.Contains(p.Msg, "schema:///") {
			t.Errorf("%s\n got %s\nwant %s", tc.schema, got, tc.says)
		}
	}
}

func TestSchemaViolationsAreListedInOrder(t *testing.T) {
	t.Parallel()
	params := `{"schema": {"required": ["z"],
		"properties": {"b": {"type": "string"}, "a": {"minimum": 3}, "c/d": {"const": 1}}}}`
	for range 20 {
		v := judged(t, "json_schema", params, `{"b": 1, "a": 2, "c/d": 2}`)
		want := "/: missing property 'z'; /a: minimum: got 2, want 3; /b: got number, want string; /c~1d: value must be 1"
		if v.Explanation != want {
			t.Fatalf("%s\nwant %s", v.Explanation, want)
		}
	}
}

// Numbers with huge exponents must neither hang nor crash the validator.
func TestHostileNumbers(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`{"type": "integer"}`, `{"minimum": 1}`, `{"multipleOf": 3}`, `{"enum": [1]}`, `{"uniqueItems": true}`,
	} {
		for _, text := range []string{"1e999999999", "[1e999999999, 2e999999999]", strings.Repeat("9", 5000)} {
			if v := judged(t, "json_schema", `{"schema": `+schema+`}`, text); v.Status == result.Passed {
				t.Errorf("%s passes %s", say.Cut(text, 20), schema)
			}
		}
	}
}

// TestSchemasWithoutType: keywords ignore values of other types, so a schema for objects accepts lists without a type.
func TestSchemasWithoutType(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"properties": {"a": {"type": "string"}}, "required": ["a"]}`: "properties",
		`{"required": ["a"]}`:           "required",
		`{"items": {"type": "string"}}`: "items",
		`{"minItems": 1}`:               "minItems",
		`{"minimum": 5}`:                "minimum",
		`{"pattern": "^a"}`:             "pattern",
		`{"type": "object", "properties": {"a": {"minLength": 3}}}`:                                  "minLength",
		`{"type": "array", "items": {"required": ["a"]}}`:                                            "required",
		`{"type": "array", "contains": {"properties": {"a": {"const": 1}}}}`:                         "properties",
		`{"allOf": [{"type": "object"}], "required": ["a"]}`:                                         "",
		`{"type": "object", "not": {"required": ["a"]}}`:                                             "",
		`{"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}}`:                 "",
		`{"not": {"required": ["a"]}}`:                                                               "",
		`{"type": "object", "propertyNames": {"pattern": "^a"}}`:                                     "",
		`{"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}}`:                         "",
		`{"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "required": ["a"]}}}`:               "",
		`{"enum": ["a"], "minLength": 1}`:                                                            "",
		`{"type": "object", "patternProperties": {"^a": {"maximum": 5}}}`:                            "maximum",
		`{"type": ["object", "null"], "required": ["a"]}`:                                            "",
		`{"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}], "minLength": 3}}}`:   "",
		`{"type": "object", "properties": {"required": {"type": "string"}, "items": {"const": []}}}`: "",
	} {
		_, problems := Try(t.Context(), "json_schema", `{"schema": `+schema+`}`, "{}", ScopeTurn)
		problems = besideOptional(problems)
		about := ""
		for _, p := range problems {
			if p.Code == "no-type" {
				about = strings.Split(p.Msg, `"`)[1]
			}
		}
		if about != want || len(problems) > 1 {
			t.Errorf("%s: told of %q, want %q: %v", schema, about, want, problems)
		}
		_, problems = Try(t.Context(), "not", `{"check": {"type": "json_schema", "params": {"schema": `+schema+`}}}`, "{}", ScopeTurn)
		if has(problems, "no-type") {
			t.Errorf("%s: as a ban: %v", schema, problems)
		}
	}
}

func TestSuspectKeywords(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]int{
		`{"type": "object", "requried": ["a"]}`:                                         1,
		`{"type": "object", "properties": {"requried": {"type": "string"}}}`:            0,
		`{"type": "object", "properties": {"a": {"minLenght": 3}}}`:                     1,
		`{"type": "array", "items": [{"patern": "a"}], "x-order": 1, "nullable": true}`: 1,
		`{"const": {"tipe": 1}, "allOf": [{"additonalProperties": false}]}`:             1,
	} {
		_, problems := Try(t.Context(), "json_schema", `{"schema": `+schema+`}`, "{}", ScopeTurn)
		if len(besideOptional(problems)) != want {
			t.Errorf("%s: %v", schema, problems)
		}
	}
}

func TestSchemasAreSafeToShare(t *testing.T) {
	t.Parallel()
	compiled, problems := compileJSON(&Compiler{}, "json_schema",
		`{"schema": {"type": "object", "properties": {"a": {"pattern": "^x+$", "format": "email"}}}}`, ScopeTurn, nil)
	if compiled == nil {
		t.Fatal(problems)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if v := compiled.Judge(t.Context(), replied(`{"a": "y"}`)); v.Status != result.Failed {
					t.Error(v.Status)
				}
			}
		})
	}
	wg.Wait()
}
