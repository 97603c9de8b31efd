package checks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/schemalint"
)

var jsonSchemaDef = define[jsonSchemaParams](Def{
	Name:    "json_schema",
	Summary: "The reply is JSON that fits a JSON Schema.",
	Scoring: "1 when the reply is JSON and fits the schema, else 0. A check that passes at 0, by max_score or below " +
		"not, needs JSON: any other reply is an error then.",
	Family:   FamilyJSON,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Form:     true,
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

func (*jsonSchema) selfContained() {}

func (c *jsonSchema) Eval(_ context.Context, s *Subject) (Finding, error) {
	doc := s.document(c.options)
	v, err := doc.value()
	if err != nil {
		return noAnswer(doc, c.options)
	}
	if n, found := chat.Unwieldy(v); found {
		return Finding{}, fmt.Errorf("the number %s is too large to be compared", say.Quote(n))
	}
	problems, err := unfit(c.schema, v)
	if err != nil {
		return Finding{}, err
	}
	if len(problems) == 0 {
		return Finding{Score: 1, Explanation: "fits the schema", Details: Details{"valid": true}}, nil
	}
	return Finding{
		Explanation: say.Listed(problems, "; "),
		Details:     Details{"valid": false, "errors": problems[:min(len(problems), maxViolations)]},
	}, nil
}

const maxViolations = 20

// FitsSchema returns why a value does not fit a JSON schema; nil when it does.
func FitsSchema(schema []byte, v any) error {
	compiled, err := buildSchema(string(schema))
	if err != nil {
		return err
	}
	problems, err := unfit(compiled, v)
	if err != nil || len(problems) == 0 {
		return err
	}
	return errors.New(strings.Join(problems, "; "))
}

// unfit returns the reasons, sorted, why a value does not fit a schema.
func unfit(schema *jsonschema.Schema, v any) ([]string, error) {
	err := schema.Validate(v)
	if invalid, ok := errors.AsType[*jsonschema.ValueError](err); ok {
		return violations(invalid.Problems), nil
	}
	return nil, err
}

func violations(list []jsonschema.Problem) []string {
	var texts []string
	for p := range jsonschema.Leaves(list) {
		texts = append(texts, pointer(p.Path)+": "+say.Content(say.OneLine(p.Text)))
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// pointer writes a place in a document as JSON Pointer (RFC 6901); the whole document is "/".
func pointer(tokens []string) string {
	if len(tokens) == 0 {
		return "/"
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(say.Cut(say.OneLine(escape.Replace(t)), say.QuoteLimit))
	}
	return b.String()
}

// schemaValue is a parameter that holds a JSON Schema, compiled.
type schemaValue struct{ schema *jsonschema.Schema }

func (*schemaValue) shape() keys.Shape {
	return keys.Own{Words: "JSON Schema", Doc: jsonschema.Doc{Type: jsonschema.Types{"object"}}}
}

func (p *schemaValue) take(b *binder, n *node.Node, what string) bool {
	if n.Kind != node.Map {
		b.r.Errorf(n, "wrong-type", "%s must be a map that holds a JSON Schema", what).Hint =
			"write the schema itself here: {type: object, required: […], properties: {…}}"
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
	if len(n.Content) == 0 {
		b.r.Warnf(n, "asks-nothing", "%s is empty: every JSON fits it", what).Hint =
			"write what must be there; json_valid asks for any JSON"
	}
	schemalint.WarnReply(b.r, n, what, b.turned)
	p.schema = compiled
	return true
}
