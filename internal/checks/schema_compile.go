package checks

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// compiledSchema is a schema ready for validation. It is safe for concurrent use.
type compiledSchema struct{ schema *jsonschema.Schema }

// schema compiles a JSON Schema; schemas that are equal as JSON are compiled once.
func (c *Compiler) schema(v any) (compiledSchema, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return compiledSchema{}, err
	}
	return c.schemas.get(string(text), buildSchema)
}

// drafts are tried in this order for schemas that do not name theirs: keywords whose form changed (items as a list,
// exclusiveMaximum as a boolean) make a schema unusable under the newer ones.
var drafts = []*jsonschema.Draft{jsonschema.Draft2020, jsonschema.Draft7, jsonschema.Draft4}

func buildSchema(text string) (compiledSchema, error) {
	var first error
	for _, draft := range drafts {
		doc, err := chat.DecodeJSON([]byte(text))
		if err != nil {
			return compiledSchema{}, err
		}
		c := jsonschema.NewCompiler()
		c.DefaultDraft(draft)
		c.AssertFormat()
		c.UseLoader(noLoader{})
		if err := c.AddResource(schemaURL, doc); err != nil {
			return compiledSchema{}, err
		}
		s, err := c.Compile(schemaURL)
		if err == nil {
			return compiledSchema{s}, nil
		}
		if first == nil {
			first = err
		}
	}
	return compiledSchema{}, first
}

// schemaURL is the name under which a schema refers to itself.
const schemaURL = "schema:///"

// noLoader keeps schemas from reaching for files and the network.
type noLoader struct{}

var errNoLoading = errors.New("a schema cannot refer to another document")

func (noLoader) Load(string) (any, error) { return nil, errNoLoading }

// schemaProblem says in one line why a schema cannot be used.
func schemaProblem(err error) string {
	var invalid *jsonschema.SchemaValidationError
	var load *jsonschema.LoadURLError
	switch {
	case errors.As(err, &invalid):
		if texts, walkErr := violations(invalid.Err); walkErr == nil && len(texts) > 0 {
			return listed(texts, "; ")
		}
	case errors.As(err, &load):
		return fmt.Sprintf("%s is not part of the schema, and nothing is loaded from elsewhere", quote(load.URL))
	}
	return strings.ReplaceAll(strings.Join(strings.Fields(err.Error()), " "), schemaURL, "")
}

// schemaPlace finds the node that a schema error is about, or gives back the whole schema.
func schemaPlace(n *node.Node, err error) *node.Node {
	var invalid *jsonschema.SchemaValidationError
	var inner *jsonschema.ValidationError
	if !errors.As(err, &invalid) || !errors.As(invalid.Err, &inner) {
		return n
	}
	for len(inner.Causes) > 0 {
		inner = inner.Causes[0]
	}
	return at(n, inner.InstanceLocation)
}

// at walks down as far as the tokens lead.
func at(n *node.Node, tokens []string) *node.Node {
	for _, t := range tokens {
		next := node.Get(n, t)
		if n.Kind == node.List {
			if i, err := strconv.Atoi(t); err == nil && i >= 0 && i < len(n.Content) {
				next = n.Content[i]
			}
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// keywords of all drafts. An unknown one is allowed in a schema and does nothing, which makes typing mistakes costly.
var keywords = strings.Fields(`$anchor $comment $defs $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref
	$schema $vocabulary additionalItems additionalProperties allOf anyOf const contains contentEncoding
	contentMediaType contentSchema default definitions dependencies dependentRequired dependentSchemas deprecated
	description else enum examples exclusiveMaximum exclusiveMinimum format id if items maxContains maximum maxItems
	maxLength maxProperties minContains minimum minItems minLength minProperties multipleOf not oneOf pattern
	patternProperties prefixItems properties propertyNames readOnly required then title type unevaluatedItems
	unevaluatedProperties uniqueItems writeOnly`)

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
		if !slices.Contains(keywords, k.Value) && !strings.HasPrefix(k.Value, "x-") {
			if hint := diag.DidYouMean(k.Value, keywords); hint != "" {
				b.r.Warnf(k, "unknown-keyword", "%s: %q is no JSON Schema keyword and does nothing", what, k.Value).Hint = hint
			}
			continue
		}
		suspectKeywords(b, v, what)
	}
}
