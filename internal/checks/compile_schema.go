package checks

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
)

// schema compiles a JSON Schema. Schemas that are equal as JSON are compiled once.
func (c *Compiler) schema(v any) (*jsonschema.Schema, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return c.schemas.get(string(text), buildSchema)
}

// schemaOptions has several drafts because some keywords changed their form (items as a list, exclusiveMaximum as a
// boolean): a schema in the older form is invalid under newer drafts.
var schemaOptions = jsonschema.Options{
	Drafts:  []jsonschema.Draft{jsonschema.Draft2020, jsonschema.Draft7, jsonschema.Draft4},
	Formats: true,
}

func buildSchema(text string) (*jsonschema.Schema, error) {
	doc, err := chat.DecodeJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	return jsonschema.Compile(doc, schemaOptions)
}

// schemaProblem says in one line why a schema is invalid.
func schemaProblem(err error) string {
	var unfit *jsonschema.SchemaError
	var reference *jsonschema.ReferenceError
	switch {
	case errors.As(err, &unfit):
		return say.Listed(violations(jsonschema.Mistakes(unfit.Problems)), "; ")
	case errors.As(err, &reference) && reference.Foreign:
		return fmt.Sprintf("%s is not part of the schema, and nothing is loaded from elsewhere", say.Quote(reference.Target))
	}
	return err.Error()
}

// schemaPlace returns the node to which a schema error refers, or else the whole schema.
func schemaPlace(n *node.Node, err error) *node.Node {
	if unfit, ok := errors.AsType[*jsonschema.SchemaError](err); ok {
		for p := range jsonschema.Leaves(unfit.Problems) {
			return node.Follow(n, p.Path)
		}
	}
	return n
}
