package schemalint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/schemalint"
)

// warned are the warnings about a schema, each with its column and code.
func warned(t *testing.T, schema string, lint func(*node.Reader, *node.Node)) (told []string) {
	t.Helper()
	var d diag.List
	r := &node.Reader{File: "schema.yaml", Diags: &d}
	docs := node.Parse(r, []byte(schema))
	if len(docs) != 1 || d.Errors() > 0 {
		t.Fatalf("%s: %v", schema, d.Sorted())
	}
	lint(r, docs[0])
	for _, p := range d.Sorted() {
		if p.Severity != diag.Warning {
			t.Errorf("%s: %v is no warning", schema, p)
		}
		told = append(told, fmt.Sprintf("%d %s: %s", p.Pos.Col, p.Code, p.Msg))
	}
	return told
}

// only fails the test unless there is one warning that has want in it, or none where want is empty.
func only(t *testing.T, schema string, told []string, want string) {
	t.Helper()
	if want == "" && len(told) == 0 {
		return
	}
	if want == "" || len(told) != 1 || !strings.Contains(told[0], want) {
		t.Errorf("%s\nwarnings %q\nwant     %q", schema, told, want)
	}
}

func TestWarn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, want string }{
		{`{type: object, properties: {id: {type: string}}, required: [id]}`, ""},
		{`{$ref: "#/$defs/order", $defs: {order: {type: string}}}`, ""},
		{`{$ref: "#/kinds/order", kinds: {order: {type: string}}}`, ""}, // schemas may be kept below any key
		{`true`, ""},
		{`{type: object, propertys: {id: {type: string}}}`, `16 unknown-keyword: arguments: "propertys" is not a JSON Schema keyword`},
		{`{type: string, format: emial}`, `"emial" is not a JSON Schema format`},
		{`{type: string, format: ""}`, "the format is empty, so any text fits it"},
		{`{type: string, format: email}`, ""},
		{`{type: object, properties: {id: {type: string}}, required: [ids]}`,
			`unlisted-property: arguments: required names "ids", which properties does not list`},
		{`{type: string, minimum: 3}`, `idle-keyword: arguments: "minimum" has no effect on type string`},
		{`{type: [string, number], minimum: 3}`, ""},
		{`{type: string, pattern: "x*"}`, `asks-nothing: arguments: pattern "x*" matches every text`},
		{`{type: string, pattern: "^x+$"}`, ""},
		{`{anyOf: [{type: string}, {}]}`, "an empty alternative fits every value"},
		{`{allOf: [{}]}`, "allOf holds nothing but empty schemas"},
		{`{type: object, properties: {" id": {type: string}}}`, `the property " id" has white space around it`},
		{`{$defs: {order: {type: string}}}`, `no $ref uses what is below "$defs"`},
	} {
		only(t, c.schema, warned(t, c.schema, func(r *node.Reader, n *node.Node) { schemalint.Warn(r, n, "arguments") }), c.want)
	}
}

// TestWarnReply: the value of a reply may be of any type, so that a schema without one asks less than it seems to.
func TestWarnReply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		schema string
		bans   bool
		want   string
	}{
		{`{type: object, properties: {id: {type: string}}, required: [id]}`, false, ""},
		{`{properties: {id: {type: string}}, required: [id]}`, false,
			`no-type: schema: "properties" asks nothing of a value that is no object`},
		{`{type: object, properties: {id: {type: string}}}`, false, "all-optional: schema: nothing is required"},
		{`{type: object, properties: {id: {type: string}}}`, true, ""}, // what fits is not wanted
		{`{type: object, properties: {id: {type: string}}, additionalProperties: false}`, false, ""},
	} {
		lint := func(r *node.Reader, n *node.Node) { schemalint.WarnReply(r, n, "schema", c.bans) }
		only(t, c.schema, warned(t, c.schema, lint), c.want)
	}
}
