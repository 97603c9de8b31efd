package checks

import (
	"maps"

	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// Schemas describes all checks for the schemas of files.
func Schemas() []scenario.CheckSchema {
	list := make([]scenario.CheckSchema, len(builtin))
	for i, d := range builtin {
		list[i] = scenario.CheckSchema{Names: d.Names(), Summary: d.Summary, Params: d.paramSchema()}
	}
	return list
}

// ParamSchema is the JSON Schema of the parameters, with the thresholds and the message of every check. The schema of a
// combined check contains those of all checks.
func (d *Def) ParamSchema() *jsonschema.Doc {
	schema := d.paramSchema()
	if d.Family == FamilyCombined {
		schema.Defs = scenario.CheckDefinitions(Schemas())
	}
	return schema
}

func (d *Def) paramSchema() *jsonschema.Doc {
	l := d.layout()
	schema := l.Schema(nil)
	maps.Copy(schema.Properties, keys.Object(scenario.Terms(scenario.TurnAssertion), false, nil).Properties)
	if len(d.AnyOf) > 0 {
		var one []string
		for _, name := range d.AnyOf {
			one = append(one, l.fields[l.index[name]].Spellings()...)
		}
		keys.RequireOne(schema, one)
	}
	return schema
}

// Label implements keys.Shape.
func (l *layout) Label() string { return "map with " + keys.Listed(l.list) }

// Schema implements keys.Shape.
func (l *layout) Schema(w keys.Writer) *jsonschema.Doc {
	return keys.Object(l.list, false, func(k *keys.Key) *jsonschema.Doc { return k.Shape.Schema(w) })
}

// Check implements keys.Shape.
func (l *layout) Check(r keys.Reader, n *node.Node, what string) {
	r.Each(n, what, func(key string, _, v *node.Node) {
		if i, known := l.index[key]; known {
			l.list[i].Shape.Check(r, v, what+"."+key)
		}
	})
}
