package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	failure "github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/node"
)

// jsonSchema reads a JSON Schema and reports what is wrong with it where that stands.
func (d *decoder) jsonSchema(n *node.Node, what string) json.RawMessage {
	if n.Kind != node.Map {
		d.Fields(n, what, nil, nil) // reports it
		return nil
	}
	raw := d.raw(n, what)
	if raw == nil {
		return nil
	}
	if _, err := compileSchema(raw); err != nil {
		for _, e := range schemaProblems(err) {
			at := locate(n, e.path)
			d.Errorf(at, "invalid-schema", "%s: %s", what, e.msg)
		}
		return nil
	}
	return raw
}

func compileSchema(raw json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := chat.DecodeJSON(raw)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	c.UseLoader(noLoader{})
	const name = "schema.json"
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name)
}

// noLoader keeps schemas from reaching for files or the network.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s: schemas are not fetched", url)
}

// schemaProblem is one mistake in a schema and the keys that lead to it.
type schemaProblem struct {
	path []string
	msg  string
}

var english = message.NewPrinter(language.English)

func schemaProblems(err error) []schemaProblem {
	if schema, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		err = schema.Err
	}
	var invalid *jsonschema.ValidationError
	var regex *jsonschema.InvalidRegexError
	var pointer *jsonschema.JSONPointerNotFoundError
	var load *jsonschema.LoadURLError
	switch {
	case errors.As(err, &invalid):
		return leaves(invalid)
	case errors.As(err, &regex):
		msg := fmt.Sprintf("%q is not a regular expression: %v", regex.Regex, regex.Err)
		return []schemaProblem{{fragment(regex.URL), msg}}
	case errors.As(err, &pointer):
		return []schemaProblem{{nil, "$ref points to " + after(pointer.URL, "#") + ", which does not exist"}}
	case errors.As(err, &load):
		return []schemaProblem{{nil, fmt.Sprintf("$ref points to %q: schemas are not fetched", load.URL)}}
	}
	return []schemaProblem{{nil, err.Error()}}
}

// leaves are the innermost causes of a failed validation; those of alternatives are told once, at their parent.
func leaves(e *jsonschema.ValidationError) []schemaProblem {
	var out []schemaProblem
	for _, c := range e.Causes {
		if _, alternative := c.ErrorKind.(*failure.AnyOf); alternative {
			out = append(out, schemaProblem{c.InstanceLocation, alternatives(c)})
			continue
		}
		out = append(out, leaves(c)...)
	}
	if len(e.Causes) == 0 {
		out = append(out, schemaProblem{e.InstanceLocation, e.ErrorKind.LocalizedString(english)})
	}
	return out
}

func alternatives(e *jsonschema.ValidationError) string {
	if last := e.InstanceLocation; len(last) > 0 && last[len(last)-1] == "type" {
		return "type must be array, boolean, integer, null, number, object or string, or a list of these"
	}
	var all []string
	for _, c := range leaves(e) {
		all = append(all, c.msg)
	}
	return strings.Join(all, ", or ")
}

// fragment is the path that the pointer of an address names.
func fragment(address string) []string {
	pointer := strings.TrimPrefix(after(address, "#"), "/")
	if pointer == "" {
		return nil
	}
	path := strings.Split(pointer, "/")
	for i, p := range path {
		if plain, err := url.PathUnescape(p); err == nil {
			p = plain
		}
		path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(p)
	}
	return path
}

func after(s, sep string) string {
	_, tail, _ := strings.Cut(s, sep)
	return tail
}

// locate follows a path of keys and indices as far as it leads.
func locate(n *node.Node, path []string) *node.Node {
	for _, key := range path {
		next := node.Get(n, key)
		if i, err := strconv.Atoi(key); err == nil && n.Kind == node.List && i >= 0 && i < len(n.Content) {
			next = n.Content[i]
		}
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// mockFits warns of a canned result that the tool's own output_schema refuses: every call would end in an error.
func (d *decoder) mockFits(t *toolFile) {
	if t.OutputSchema == nil || t.MockResult == nil || t.template != nil || len(t.MockParts) > 0 {
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
	var invalid *jsonschema.ValidationError
	if err := schema.Validate(result); errors.As(err, &invalid) {
		for _, p := range leaves(invalid) {
			d.Warnf(locate(t.result, p.path), "mock-result", "the mock_result does not fit the output_schema: %s", p.msg).
				Hint = "every call of the tool would be answered with an error"
		}
	}
}
