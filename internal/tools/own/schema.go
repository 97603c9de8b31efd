package own

import "encoding/json"

// property is an argument that takes a text.
type property struct {
	name, description string
	words             []string // nil: any text
}

// objectSchema is the schema of arguments that are all required.
func objectSchema(list ...property) json.RawMessage {
	type text struct {
		Type        string   `json:"type"`
		Description string   `json:"description"`
		Enum        []string `json:"enum,omitempty"`
	}
	properties, required := map[string]text{}, make([]string, len(list))
	for i, p := range list {
		properties[p.name], required[i] = text{"string", p.description, p.words}, p.name
	}
	raw, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
	if err != nil {
		panic(err) // of maps of texts
	}
	return raw
}
