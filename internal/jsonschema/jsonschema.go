// Package jsonschema compiles JSON Schemas, validates values against them and describes violations in English. It is
// the one place that knows the library behind it. A schema never loads anything from elsewhere: no file, no address.
package jsonschema

import (
	"errors"
	"strconv"

	lib "github.com/santhosh-tekuri/jsonschema/v6"
)

// Draft is a version of JSON Schema.
type Draft int

// Drafts that a schema may be read as when it does not name its own.
const (
	Draft2020 Draft = iota
	Draft7
	Draft4
)

func (d Draft) of() *lib.Draft {
	switch d {
	case Draft2020:
		return lib.Draft2020
	case Draft7:
		return lib.Draft7
	case Draft4:
		return lib.Draft4
	}
	panic("jsonschema: unknown draft " + strconv.Itoa(int(d)))
}

// Options say how a schema is read.
type Options struct {
	// Drafts are tried in this order for a schema that does not name its own; when it can be used under none of them,
	// the error is that of the first. There is at least one.
	Drafts []Draft
	// Formats makes the keyword format a check also under the drafts in which it only describes, those since 2019.
	Formats bool
}

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct{ compiled *lib.Schema }

// Compile compiles a schema from decoded JSON whose numbers are json.Number. It keeps doc, which must not change
// afterwards. An invalid schema is a *SchemaError, a *PatternError, a *ReferenceError or an error of another type.
func Compile(doc any, o Options) (*Schema, error) {
	var first error
	for _, draft := range o.Drafts {
		compiled, err := compile(doc, draft, o.Formats)
		if err == nil {
			if e := endlessRecursion(compiled); e != nil {
				return nil, e
			}
			return &Schema{compiled}, nil
		}
		if first == nil {
			first = explain(err)
		}
	}
	return nil, first
}

// root is the name under which a schema refers to itself.
const root = "schema:///"

func compile(doc any, draft Draft, formats bool) (*lib.Schema, error) {
	c := lib.NewCompiler()
	c.DefaultDraft(draft.of())
	if formats {
		c.AssertFormat()
	}
	c.UseLoader(noLoader{})
	if err := c.AddResource(root, doc); err != nil {
		return nil, err
	}
	return c.Compile(root)
}

// noLoader keeps schemas from reaching for files and the network.
type noLoader struct{}

var errNoLoading = errors.New("schemas are not fetched")

func (noLoader) Load(string) (any, error) { return nil, errNoLoading }

var errEndless = errors.New("the schema refers back to itself without an end")

// Validate returns a *ValueError for a value that does not fit. Any other error means that the value could not be
// validated. The value is decoded JSON whose numbers are json.Number.
func (s *Schema) Validate(v any) error {
	err := s.compiled.Validate(v)
	if invalid, ok := errors.AsType[*lib.ValidationError](err); ok {
		if isRefCycle(invalid) {
			return errEndless
		}
		return &ValueError{problems(invalid)}
	}
	return err
}
