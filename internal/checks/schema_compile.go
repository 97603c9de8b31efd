package checks

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/node"
)

// schema compiles a JSON Schema; schemas that are equal as JSON are compiled once.
func (c *Compiler) schema(v any) (*jsonschema.Schema, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return c.schemas.get(string(text), buildSchema)
}

// schemaOptions name several drafts because some keywords changed their form (items as a list, exclusiveMaximum as a
// boolean), which makes a schema unusable under the newer ones.
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

// schemaProblem says in one line why a schema cannot be used.
func schemaProblem(err error) string {
	var unfit *jsonschema.SchemaError
	var reference *jsonschema.ReferenceError
	switch {
	case errors.As(err, &unfit):
		return listed(violations(unfit.Problems), "; ")
	case errors.As(err, &reference) && reference.Foreign:
		return fmt.Sprintf("%s is not part of the schema, and nothing is loaded from elsewhere", quote(reference.Target))
	}
	return err.Error()
}

// schemaPlace finds the node that a schema error is about, or gives back the whole schema.
func schemaPlace(n *node.Node, err error) *node.Node {
	if unfit, ok := errors.AsType[*jsonschema.SchemaError](err); ok {
		for p := range jsonschema.Leaves(unfit.Problems) {
			return node.Follow(n, p.Path)
		}
	}
	return n
}

// keywords of all drafts. An unknown one is allowed in a schema and does nothing, which makes typing mistakes costly.
var keywords = sync.OnceValue(func() []string {
	return strings.Fields(`
		$anchor $comment $defs $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema $vocabulary
		additionalItems additionalProperties allOf anyOf const contains contentEncoding contentMediaType
		contentSchema default definitions dependencies dependentRequired dependentSchemas deprecated description else
		enum examples exclusiveMaximum exclusiveMinimum format id if items maxContains maximum maxItems maxLength
		maxProperties minContains minimum minItems minLength minProperties multipleOf not oneOf pattern
		patternProperties prefixItems properties propertyNames readOnly required then title type unevaluatedItems
		unevaluatedProperties uniqueItems writeOnly`)
})

// suspectKeywords warns about unknown keywords that look like a known one.
func suspectKeywords(b *binder, n *node.Node, what string) {
	switch n.Kind {
	case node.List:
		for _, item := range n.Content {
			suspectKeywords(b, item, what)
		}
		return
	case node.Map:
	default:
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch k.Value {
		case "const", "default", "enum", "example", "examples", "required":
			continue // values, not schemas
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
			for j := 1; j < len(v.Content); j += 2 {
				suspectKeywords(b, v.Content[j], what)
			}
			continue
		}
		if !slices.Contains(keywords(), k.Value) && !strings.HasPrefix(k.Value, "x-") {
			if hint := diag.DidYouMean(k.Value, keywords()); hint != "" {
				b.r.Warnf(k, "unknown-keyword", "%s: %q is no JSON Schema keyword and does nothing", what, k.Value).Hint = hint
			}
			continue
		}
		suspectKeywords(b, v, what)
	}
}
