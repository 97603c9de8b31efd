package keys_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

var share = keys.Number{Low: 0, High: 1, Above: true}

// TestShapes: the label, the schema and the check of a shape agree.
func TestShapes(t *testing.T) {
	t.Parallel()
	free := keys.Number{Low: math.Inf(-1), High: math.Inf(1), Integer: true}
	for _, tc := range []struct {
		shape         keys.Shape
		label, schema string
		good, bad     string
		says          string
	}{
		{keys.Any{}, "any value", `{}`, "{a: [1]}", "", ""},
		{keys.Text{}, "text", `{"type":"string"}`, `""`, "[]", "it must be text, found a list"},
		{keys.Text{Filled: true}, "text", `{"minLength":1,"type":"string"}`, "a", `""`, "it is empty"},
		{keys.Bool{}, "true or false", `{"type":"boolean"}`, "yes", "2", "it must be true or false, found the number 2"},
		{keys.Words{"a", "b", "c"}, "one of a, b or c", `{"enum":["a","b","c"]}`, "b", "d",
			`it cannot be "d"; expected one of a, b, c`},
		{share, "number", `{"exclusiveMinimum":0,"maximum":1,"type":"number"}`, "0.5", "0", "it must be above 0, found 0"},
		{free, "whole number", `{"type":"integer"}`, "-3000000000", "1.5", "it must be a whole number, found 1.5"},
		{keys.List{Item: keys.Bool{}, Filled: true}, "list of true or false",
			`{"items":{"type":"boolean"},"minItems":1,"type":"array"}`, "[no]", "[0]", "an entry of it must be true or false"},
		{keys.List{Item: keys.Text{}, Single: true}, "list of text",
			`{"anyOf":[{"type":"string"},{"items":{"type":"string"},"type":"array"}]}`, "[a]", "{}", "it must be a list"},
		{keys.Map{Value: keys.Text{}}, "map to text", `{"additionalProperties":{"type":"string"},"type":"object"}`,
			"{a: b}", "{a: []}", "it.a must be text, found a list"},
		{keys.Map{Value: keys.Any{}}, "map to any value", `{"type":"object"}`, "{a: []}", "a", "it must be a map"},
	} {
		schema, err := json.Marshal(tc.shape.Schema(nil))
		if got := tc.shape.Label(); got != tc.label || string(schema) != tc.schema || err != nil {
			t.Errorf("%s %s %v\nwant %s %s", got, schema, err, tc.label, tc.schema)
		}
		if said := check(t, tc.shape, tc.good); said != "" {
			t.Errorf("%s: %s: %s", tc.label, tc.good, said)
		}
		if said := check(t, tc.shape, tc.bad); tc.bad != "" && (said == "" || !strings.Contains(said, tc.says)) {
			t.Errorf("%s: %s: %q, want %q", tc.label, tc.bad, said, tc.says)
		}
	}
}

// check returns the problems of a value with a shape.
func check(t *testing.T, s keys.Shape, text string) string {
	t.Helper()
	var problems diag.List
	r := &node.Reader{File: "a.yaml", Diags: &problems}
	for _, n := range node.Parse(r, []byte(text)) {
		s.Check(r, n, "it")
	}
	var said []string
	for _, p := range problems.Sorted() {
		said = append(said, p.Msg)
	}
	return strings.Join(said, "; ")
}

func TestKeys(t *testing.T) {
	t.Parallel()
	list := []*keys.Key{
		{Name: "patterns", Aliases: []string{"texts"}, Shape: keys.List{Item: keys.Text{}}, Required: true, Doc: "What."},
		{Name: "share", Shape: share, Required: true},
		{Name: "old", Shape: keys.Bool{}, Idle: "nobody looks"},
	}
	if got := keys.Listed(list); got != "patterns (list of text), share (number), old (true or false)" {
		t.Error(got)
	}
	for name, want := range map[string]string{"texs": "patterns", "shar": "share", "unheard": ""} {
		got := ""
		if k := keys.Nearest(name, list); k != nil {
			got = k.Name
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	schema, err := json.Marshal(keys.Object(list, false, nil))
	const want = `{"additionalProperties":false,"allOf":[{"anyOf":[{"required":["patterns"]},{"required":["texts"]}]}],` +
		`"properties":{"old":{"description":"Has no effect: nobody looks.","type":"boolean"},` +
		`"patterns":{"description":"What.","items":{"type":"string"},"type":"array"},` +
		`"share":{"exclusiveMinimum":0,"maximum":1,"type":"number"},` +
		`"texts":{"description":"The same as patterns.","items":{"type":"string"},"type":"array"}},` +
		`"required":["share"],"type":"object"}`
	if string(schema) != want || err != nil {
		t.Errorf("%s %v\nwant %s", schema, err, want)
	}
}
