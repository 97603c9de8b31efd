package checks

import (
	"maps"

	"github.com/arena-evals/arena/internal/scenario"
)

// Schemas describes all checks for the schemas of the files in which they stand.
func Schemas() []scenario.CheckSchema {
	list := make([]scenario.CheckSchema, len(builtin))
	for i, d := range builtin {
		list[i] = scenario.CheckSchema{Names: d.Names(), Summary: d.Summary, Params: d.paramSchema()}
	}
	return list
}

// ParamSchema is the parameters as JSON Schema, with the thresholds and the message that every check takes. That of a
// combination holds those of all checks.
func (d *Def) ParamSchema() map[string]any {
	schema := d.paramSchema()
	if d.Family == FamilyCombined {
		schema["$defs"] = scenario.CheckDefinitions(Schemas())
	}
	return schema
}

func (d *Def) paramSchema() map[string]any {
	l := d.layout()
	schema := l.schema()
	props := schema["properties"].(map[string]any)
	props["min_score"] = map[string]any{"type": "number", "minimum": 0, "maximum": 1,
		"description": "The lowest score that passes; 1 when neither threshold is given."}
	props["max_score"] = map[string]any{"type": "number", "minimum": 0, "maximum": 1,
		"description": "The highest score that passes."}
	props["message"] = map[string]any{"type": "string", "description": "Shown in reports in place of the explanation."}
	if len(d.AnyOf) > 0 {
		var one []string
		for _, name := range d.AnyOf {
			one = append(one, l.fields[l.keys[name]].spellings()...)
		}
		require(schema, one)
	}
	return schema
}

// schema describes a mapping with the parameters of l.
func (l *layout) schema() map[string]any {
	props := map[string]any{}
	schema := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
	for i := range l.fields {
		f := &l.fields[i]
		for _, key := range f.spellings() {
			p := maps.Clone(f.schema)
			if key == f.Name {
				p["description"] = f.Doc
			} else {
				p["description"] = "The same as " + f.Name + "."
			}
			props[key] = p
		}
		if f.Required {
			require(schema, f.spellings())
		}
	}
	return schema
}

// require asks for at least one of some keys.
func require(schema map[string]any, keys []string) {
	choice := make([]any, len(keys))
	for i, key := range keys {
		choice[i] = map[string]any{"required": []string{key}}
	}
	all, _ := schema["allOf"].([]any)
	schema["allOf"] = append(all, map[string]any{"anyOf": choice})
}
