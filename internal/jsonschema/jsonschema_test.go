package jsonschema_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonschema"
)

var (
	draft7 = jsonschema.Options{Drafts: []jsonschema.Draft{jsonschema.Draft7}}
	plain  = jsonschema.Options{Drafts: []jsonschema.Draft{jsonschema.Draft2020}}
	any3   = jsonschema.Options{
		Drafts:  []jsonschema.Draft{jsonschema.Draft2020, jsonschema.Draft7, jsonschema.Draft4},
		Formats: true,
	}
)

func decode(t *testing.T, text string) any {
	t.Helper()
	v, err := chat.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func compile(t *testing.T, text string, o jsonschema.Options) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.Compile(decode(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const order = `{
	"type": "object", "required": ["id"],
	"properties": {
		"id": {"type": "string"},
		"lines": {"type": "array", "items": {"required": ["sku"], "properties": {"n": {"type": "integer", "minimum": 1}}}},
		"ship": {"anyOf": [{"type": "string"}, {"properties": {"to": {"anyOf": [{"type": "null"}, {"const": "me"}]}}, "type": "object"}]}
	}
}`

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, value, says string
		want              []jsonschema.Problem
	}{
		{"fits", `{"id": "a", "lines": [{"sku": "x", "n": 2}], "ship": {"to": "me"}}`, "", nil},
		{"whole document", `{}`, "missing property 'id'", []jsonschema.Problem{{Path: []string{}, Text: "missing property 'id'"}}},
		{
			"each place, in one line sorted", `{"id": 1, "lines": [{"n": 0, "sku": ""}, {}]}`,
			"id: got number, want string; lines.0.n: minimum: got 0, want 1; lines.1: missing property 'sku'", nil,
		},
		{
			"alternatives stay together", `{"id": "a", "ship": {"to": 1}}`,
			"ship.to: got number, want null; ship.to: value must be 'me'; ship: got object, want string",
			[]jsonschema.Problem{{Path: []string{"ship"}, Either: []jsonschema.Problem{
				{Path: []string{"ship"}, Text: "got object, want string"},
				{Path: []string{"ship", "to"}, Either: []jsonschema.Problem{
					{Path: []string{"ship", "to"}, Text: "got number, want null"},
					{Path: []string{"ship", "to"}, Text: "value must be 'me'"},
				}},
			}}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := compile(t, order, draft7).Validate(decode(t, c.value))
			if c.says == "" {
				if err != nil {
					t.Fatalf("got %v, want a fit", err)
				}
				return
			}
			var unfit *jsonschema.ValueError
			if !errors.As(err, &unfit) || err.Error() != c.says {
				t.Fatalf("got %v, want %s", err, c.says)
			}
			if diff := cmp.Diff(c.want, unfit.Problems); c.want != nil && diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLeavesStopsWhenAsked(t *testing.T) {
	t.Parallel()
	list := []jsonschema.Problem{
		{Text: "a"}, {Either: []jsonschema.Problem{{Text: "b"}, {Either: []jsonschema.Problem{{Text: "c"}}}, {Text: "d"}}}, {Text: "e"},
	}
	for n := range 6 {
		var got []string
		for p := range jsonschema.Leaves(list) {
			if len(got) == n {
				break
			}
			got = append(got, p.Text)
		}
		if want := strings.Split("abcde", "")[:min(n, 5)]; !slices.Equal(got, want) {
			t.Errorf("first %d: got %q, want %q", n, got, want)
		}
	}
}

// One schema and the words for what does not fit it serve many goroutines at once.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := compile(t, order, draft7)
	value := decode(t, `{"id": "a", "lines": [{"sku": "", "n": 1.5}]}`)
	var g sync.WaitGroup
	for range 8 {
		g.Go(func() {
			for range 50 {
				const want = "lines.0.n: got number, want integer"
				if err := s.Validate(value); err == nil || err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}
			}
		})
	}
	g.Wait()
}

func TestDraftsAndFormats(t *testing.T) {
	t.Parallel()
	const (
		pair      = `{"type": "array", "items": [{"type": "string"}, {"type": "number"}]}` // a list of items until 2019-09
		exclusive = `{"minimum": 3, "exclusiveMinimum": true}`                             // a boolean in draft 4 only
		mail      = `{"type": "string", "format": "email"}`
		named     = `{"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [{"type": "string"}]}`
	)
	for _, c := range []struct {
		name, schema, value string
		options             jsonschema.Options
		fits                bool
	}{
		{"items as a list", pair, `["a", 1]`, any3, true},
		{"items as a list, unfit", pair, `[1, 1]`, any3, false},
		{"exclusiveMinimum as a boolean", exclusive, `3.5`, any3, true},
		{"exclusiveMinimum as a boolean, unfit", exclusive, `3`, any3, false},
		{"the draft that a schema names", named, `[1]`, draft7, false},
		{"formats", mail, `"nobody"`, any3, false},
		{"formats under draft 7", mail, `"nobody"`, draft7, false},
		{"formats only describe", mail, `"nobody"`, plain, true},
		{"all digits of a number", `{"const": 9007199254740993}`, `9007199254740992`, any3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			doc := decode(t, c.schema)
			s, err := jsonschema.Compile(doc, c.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decode(t, c.schema), doc); diff != "" {
				t.Errorf("the schema was changed (-want +got):\n%s", diff)
			}
			if err := s.Validate(decode(t, c.value)); (err == nil) != c.fits {
				t.Errorf("%s: got %v, want fit %v", c.value, err, c.fits)
			}
		})
	}
}

func TestUnusableSchemas(t *testing.T) {
	t.Parallel()
	t.Run("not a schema", func(t *testing.T) {
		t.Parallel()
		var unfit *jsonschema.SchemaError
		_, err := jsonschema.Compile(decode(t, `{"properties": {"a": {"minLength": -1}}}`), any3)
		if !errors.As(err, &unfit) {
			t.Fatalf("got %v, want a SchemaError", err)
		}
		if diff := cmp.Diff([]string{"properties", "a", "minLength"}, unfit.Problems[0].Path); diff != "" {
			t.Errorf("path (-want +got):\n%s", diff)
		}
	})
	t.Run("the first draft tells", func(t *testing.T) {
		t.Parallel()
		// without a type of its own under draft 7, which has no prefixItems
		_, err := jsonschema.Compile(decode(t, `{"type": "text", "prefixItems": 1}`), any3)
		if err == nil || !strings.Contains(err.Error(), "prefixItems") {
			t.Errorf("got %v, want what draft 2020-12 says", err)
		}
	})
	t.Run("pattern", func(t *testing.T) {
		t.Parallel()
		var pattern *jsonschema.PatternError
		// draft 4 alone says nothing about the keys of patternProperties
		_, err := jsonschema.Compile(decode(t, `{
			"$schema": "http://json-schema.org/draft-04/schema",
			"definitions": {"a/b ~": {"patternProperties": {"(?=x)": {}}}}, "$ref": "#/definitions/a~1b%20~0"
		}`), any3)
		if !errors.As(err, &pattern) {
			t.Fatalf("got %v, want a PatternError", err)
		}
		want := []string{"definitions", "a/b ~", "patternProperties"}
		if diff := cmp.Diff(want, pattern.Path); diff != "" || pattern.Pattern != "(?=x)" {
			t.Errorf("pattern %q, path (-want +got):\n%s", pattern.Pattern, diff)
		}
		if !errors.Is(err, pattern.Err) || strings.Contains(err.Error(), "schema:") {
			t.Errorf("got %q, want the reason and no address", err)
		}
	})
	t.Run("reference into the schema", func(t *testing.T) {
		t.Parallel()
		var reference *jsonschema.ReferenceError
		_, err := jsonschema.Compile(decode(t, `{"$ref": "#/definitions/id"}`), draft7)
		if !errors.As(err, &reference) || reference.Foreign || reference.Target != "/definitions/id" {
			t.Fatalf("got %#v", err)
		}
		if want := `json-pointer in "#/definitions/id" not found`; err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	})
	t.Run("anchor", func(t *testing.T) {
		t.Parallel()
		_, err := jsonschema.Compile(decode(t, `{"$ref": "#nowhere"}`), any3)
		if err == nil || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "schema:///") {
			t.Errorf("got %q, want one line without an address", err)
		}
	})
}

// A schema of a stranger must not make arena read files or call servers.
func TestNothingIsLoaded(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the schema was fetched")
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(file, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ target, says string }{
		{server.URL + "/s.json", server.URL + "/s.json"},
		{"file://" + filepath.ToSlash(file), "file://" + filepath.ToSlash(file)},
		{"other.json", "other.json"},
	} {
		for _, keyword := range []string{"$ref", "$schema"} {
			_, err := jsonschema.Compile(map[string]any{keyword: c.target}, draft7)
			var reference *jsonschema.ReferenceError
			if keyword == "$ref" && (!errors.As(err, &reference) || !reference.Foreign || reference.Target != c.says) {
				t.Errorf("%s %s: got %#v, want a reference to %s", keyword, c.target, err, c.says)
			}
			if err == nil {
				t.Errorf("%s %s: compiled", keyword, c.target)
			}
		}
	}
}
