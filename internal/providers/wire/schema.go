package wire

import "github.com/arena-evals/arena/internal/jsonvalue"

// Schemas visits a decoded JSON Schema and its subschemas while visit returns true, and reports whether it always did.
// The values of enum, const and default are data and not visited.
func Schemas(v any, visit func(schema jsonvalue.Object) bool) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if !Schemas(item, visit) {
				return false
			}
		}
	case jsonvalue.Object:
		if !visit(v) {
			return false
		}
		properties, has := v["properties"].(jsonvalue.Object)
		for key, item := range v {
			switch {
			case key == "enum" || key == "const" || key == "default":
			case key == "properties" && has:
				for _, p := range properties {
					if !Schemas(p, visit) {
						return false
					}
				}
			default:
				if !Schemas(item, visit) {
					return false
				}
			}
		}
	}
	return true
}
