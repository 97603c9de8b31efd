package tools

import (
	"maps"
	"slices"
	"strconv"

	"github.com/arena-evals/arena/internal/scenario"
)

// Unlisted finds a name within a value that the schema of the argument does not have: zip in addr. path is its
// position, and known are the valid names. It is "" if the schema allows others.
func (r *Registry) Unlisted(tool, argument string, v any) (path, name string, known []string) {
	return unlisted(argument, r.byName[tool].property(argument), v)
}

// Unlisted is that of a Registry.
func (b *Box) Unlisted(tool, argument string, v any) (path, name string, known []string) {
	return unlisted(argument, b.tool(tool).property(argument), v)
}

func unlisted(at string, schema map[string]any, v any) (path, name string, known []string) {
	if schema == nil || composed(schema) {
		return "", "", nil
	}
	switch v := v.(type) {
	case []any:
		items, _ := schema["items"].(map[string]any)
		for i := range v {
			if path, name, known = unlisted(at+"["+strconv.Itoa(i)+"]", items, v[i]); name != "" {
				return path, name, known
			}
		}
	case map[string]any:
		names, closed := scenario.Arguments(schema)
		properties, _ := schema["properties"].(map[string]any)
		for _, one := range slices.Sorted(maps.Keys(v)) {
			if closed && !slices.Contains(names, one) {
				return at, one, names
			}
			inner, _ := properties[one].(map[string]any)
			if path, name, known = unlisted(at+"."+one, inner, v[one]); name != "" {
				return path, name, known
			}
		}
	}
	return "", "", nil
}
