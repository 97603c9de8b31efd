package runner

import (
	"encoding/json"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/scenario"
)

// composed is a composition with what its runs share.
type composed struct {
	*composition.Composition
	schemas map[string]*jsonschema.Schema // by the step; those of the whole under inputSchema and outputSchema
	evals   map[string]stepEvals          // by the step
}

// The names of the schemas of a whole composition. No step can be called like that.
const (
	inputSchema  = "its input"
	outputSchema = "its output"
)

// compileCompositions compiles the schemas of compositions; nil when there are none.
func compileCompositions(p *scenario.Project) (map[string]*composed, error) {
	if len(p.Compositions) == 0 {
		return nil, nil
	}
	all := make(map[string]*composed, len(p.Compositions))
	for _, c := range p.Compositions {
		one := &composed{c.Composition, map[string]*jsonschema.Schema{}, map[string]stepEvals{}}
		all[c.Name] = one
		raw := map[string]json.RawMessage{inputSchema: c.InputSchema, outputSchema: c.OutputSchema}
		for s := range c.All() {
			raw[s.ID] = s.Schema
			one.evals[s.ID] = evalsOfStep(p, s)
		}
		for name, schema := range raw {
			if schema == nil {
				continue
			}
			doc, err := chat.DecodeJSON(schema)
			if err == nil {
				one.schemas[name], err = jsonschema.Compile(doc, jsonschema.Options{
					Drafts: []jsonschema.Draft{jsonschema.Draft7},
				})
			}
			if err != nil {
				return nil, fmt.Errorf("composition %s: the schema of %s: %w", c.Name, name, err)
			}
		}
	}
	return all, nil
}

// fits reports a value that does not fit the schema of a step, or of the whole.
func (c *composed) fits(name string, v any) error {
	schema := c.schemas[name]
	if schema == nil {
		return nil
	}
	return schema.Validate(v)
}
