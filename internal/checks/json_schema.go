package checks

import (
	"context"
	"errors"
	"fmt"
	"github.com/arena-evals/arena/internal/chat"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/arena-evals/arena/internal/node"
)

var jsonSchemaDef = define[jsonSchemaParams](Def{
	Name:     "json_schema",
	Summary:  "The reply is JSON that fits a JSON Schema.",
	Scoring:  "1 when the reply is JSON and fits the schema, else 0.",
	Family:   FamilyJSON,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
})

type jsonSchemaParams struct {
	Schema schemaValue `param:"schema,required" doc:"Of draft 4 to 2020-12; formats are checked, $ref stays within it."`
	jsonOptions
}

func (p jsonSchemaParams) Build(*binder) Check {
	return &jsonSchema{schema: p.Schema.schema, options: p.jsonOptions}
}

type jsonSchema struct {
	schema  *jsonschema.Schema
	options jsonOptions
}

func (c *jsonSchema) Eval(_ context.Context, s *Subject) (Finding, error) {
	doc := s.document(c.options)
	v, err := doc.value()
	if err != nil {
		return notJSON(doc, c.options), nil
	}
	if n, found := chat.Unwieldy(v); found {
		return Finding{}, fmt.Errorf("the number %s is too large to be compared", quote(n))
	}
	problems, err := violations(c.schema.Validate(v))
	if err != nil {
		return Finding{}, err
	}
	if len(problems) == 0 {
		return Finding{Score: 1, Explanation: "fits the schema", Details: map[string]any{"valid": true}}, nil
	}
	return Finding{
		Explanation: listed(problems, "; "),
		Details:     map[string]any{"valid": false, "errors": problems[:min(len(problems), maxViolations)]},
	}, nil
}

const maxViolations = 20

// violations flattens the error of a validation into one text for each thing that does not fit, sorted.
func violations(err error) ([]string, error) {
	if err == nil {
		return nil, nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil, err
	}
	var texts []string
	words := message.NewPrinter(language.English)
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			text := cut(oneLine(e.ErrorKind.LocalizedString(words)), contentLimit)
			texts = append(texts, pointer(e.InstanceLocation)+": "+text)
		}
		for _, cause := range e.Causes {
			walk(cause)
		}
	}
	walk(invalid)
	slices.Sort(texts)
	return slices.Compact(texts), nil
}

// pointer is a place in a document as JSON Pointer (RFC 6901); the whole document is "/".
func pointer(tokens []string) string {
	if len(tokens) == 0 {
		return "/"
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(cut(oneLine(escape.Replace(t)), quoteLimit))
	}
	return b.String()
}

// schemaValue is a parameter that holds a JSON Schema, compiled.
type schemaValue struct{ schema *jsonschema.Schema }

func (*schemaValue) describe() (string, map[string]any) {
	return "JSON Schema", map[string]any{"type": "object"}
}

func (p *schemaValue) take(b *binder, n *node.Node, what string) bool {
	if n.Kind != node.Map {
		b.r.Errorf(n, "wrong-type", "%s must be a map that holds a JSON Schema", what)
		return false
	}
	before := b.r.Diags.Errors()
	v := b.r.Any(n)
	if b.r.Diags.Errors() > before {
		return false
	}
	compiled, err := b.c.schema(v)
	if err != nil {
		b.r.Errorf(schemaPlace(n, err), "bad-schema", "%s cannot be used: %s", what, schemaProblem(err))
		return false
	}
	suspectKeywords(b, n, what)
	p.schema = compiled.schema
	return true
}
