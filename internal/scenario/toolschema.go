package scenario

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/schemalint"
)

// jsonSchema reads a JSON Schema and reports problems at their positions.
func (d *decoder) jsonSchema(n *node.Node, what string) json.RawMessage {
	if n.Kind != node.Map {
		d.Fields(n, what, nil, nil) // reports it
		return nil
	}
	raw := d.raw(d.asItStands(n, what), what)
	if raw == nil {
		return nil
	}
	if _, err := compileSchema(raw); err != nil {
		for _, e := range schemaProblems(err) {
			at := node.Follow(n, e.Path)
			wrong := d.Errorf(at, "invalid-schema", "%s: %s", what, e.Text)
			if n := len(e.Path); n > 0 && e.Path[n-1] == "type" && at.Kind == node.Scalar {
				wrong.Hint = jsonschema.TypeMeant(at.Value)
			} else if n > 1 && e.Path[n-1] == "required" && e.Path[n-2] == "properties" && at.Kind == node.List {
				wrong.Hint = "required stands beside properties, not within"
			}
		}
		return nil
	}
	schemalint.Warn(&d.Reader, n, what)
	return raw
}

// schemaShape is a JSON Schema, or the name of a file that holds one.
type schemaShape struct{}

func (schemaShape) Label() string { return "JSON Schema or file" }

func (schemaShape) Check(r keys.Reader, n *node.Node, _ string) { r.(*decoder).outputSchema(n) }

func (schemaShape) Schema(keys.Writer) *jsonschema.Doc { return ofType("object", "string") }

// outputSchema reads the schema of a model's replies.
func (d *decoder) outputSchema(v *node.Node) json.RawMessage { return d.schema(v, "output_schema") }

// schema reads a JSON Schema, or the file that holds one.
func (d *decoder) schema(v *node.Node, what string) json.RawMessage {
	if v.Kind == node.Map {
		return d.jsonSchema(v, what)
	}
	data, ok := d.attached(v, what)
	if !ok {
		return nil
	}
	if _, err := compileSchema(data); err != nil {
		d.Errorf(v, "invalid-schema", "%s %s: %s", what, v.Value, firstProblem(err))
		return nil
	}
	path, _ := d.runtimePath(v.Value)
	own := node.Reader{File: d.places.fs.show(path), Diags: d.Diags}
	for _, doc := range node.Parse(&own, data) {
		schemalint.Warn(&own, doc, what)
		if doc != nil && holdsDouble(doc) {
			of := *d
			of.Reader = own
			data = of.raw(of.asItStands(doc, what), what)
		}
	}
	return data
}

// firstProblem says what is wrong with a schema in a file of its own.
func firstProblem(err error) string {
	if list := schemaProblems(err); len(list) > 0 {
		return list[0].Text
	}
	return err.Error()
}

func compileSchema(raw json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := chat.DecodeJSON(raw)
	if err != nil {
		return nil, err
	}
	return jsonschema.Compile(doc, jsonschema.Options{Drafts: []jsonschema.Draft{jsonschema.Draft7}})
}

// schemaProblems lists the mistakes in a schema, each with a text.
func schemaProblems(err error) []jsonschema.Problem {
	var unfit *jsonschema.SchemaError
	var pattern *jsonschema.PatternError
	var reference *jsonschema.ReferenceError
	switch {
	case errors.As(err, &unfit):
		return jsonschema.Mistakes(unfit.Problems)
	case errors.As(err, &pattern):
		msg := fmt.Sprintf("%q is not a regular expression: %v", pattern.Pattern, pattern.Err)
		return []jsonschema.Problem{{Path: pattern.Path, Text: msg}}
	case errors.As(err, &reference) && reference.Foreign:
		return []jsonschema.Problem{{Text: fmt.Sprintf("$ref points to %q: schemas are not fetched", reference.Target)}}
	case errors.As(err, &reference):
		return []jsonschema.Problem{{Text: "$ref points to " + reference.Target + ", which does not exist"}}
	}
	return []jsonschema.Problem{{Text: err.Error()}}
}

// mockFits warns of a canned result that does not fit the tool's output_schema: every call would fail.
func (d *decoder) mockFits(t *toolFile) {
	if t.OutputSchema == nil || t.MockResult == nil || t.template != nil || len(t.MockParts) > 0 ||
		t.Client != nil && !t.Client.ValidateOutput {
		return
	}
	schema, err := compileSchema(t.OutputSchema)
	if err != nil {
		return
	}
	result, err := chat.DecodeJSON(t.MockResult)
	if err != nil {
		return
	}
	if s, ok := result.(string); ok { // a text may also be meant as the JSON in it
		if inner, err := chat.DecodeJSON([]byte(s)); err == nil && schema.Validate(inner) == nil {
			return
		}
	}
	var unfit *jsonschema.ValueError
	if err := schema.Validate(result); errors.As(err, &unfit) {
		for _, p := range jsonschema.Misfits(unfit.Problems) {
			d.Warnf(node.Follow(t.result, p.Path), "mock-result", "the mock_result does not fit the output_schema: %s", p.Text).
				Hint = "every call of the tool would be answered with an error"
		}
	}
}
