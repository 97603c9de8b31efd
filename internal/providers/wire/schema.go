package wire

// Schemas visits a decoded JSON Schema and the schemas within it, as long as visit returns true, and reports whether it
// did throughout. What enum, const and default hold is data.
func Schemas(v any, visit func(schema map[string]any) bool) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if !Schemas(item, visit) {
				return false
			}
		}
	case map[string]any:
		if !visit(v) {
			return false
		}
		properties, has := v["properties"].(map[string]any)
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
