package tools

import (
	"maps"
	"slices"
)

// Arguments lists the arguments that the schema of a tool knows, sorted. listed is false where a call may have others,
// because there is no schema, or one that leaves that open.
func (r *Registry) Arguments(name string) (args []string, listed bool) {
	t := r.byName[name]
	if t == nil || t.input == nil {
		return nil, false
	}
	for _, key := range []string{
		"$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "additionalProperties", "unevaluatedProperties",
	} {
		if v, given := t.input.doc[key]; given && v != false {
			return nil, false
		}
	}
	properties, there := t.input.doc["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(properties)), there
}
