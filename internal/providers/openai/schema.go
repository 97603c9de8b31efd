package openai

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// strictSchema reports whether a schema is of the kind for which the API can promise that the reply fits: every object
// closed, and all its properties required. With any other schema a strict request is refused, so it is sent as a wish.
func strictSchema(schema json.RawMessage) bool {
	var v any
	if err := json.Unmarshal(schema, &v); err != nil {
		return false
	}
	root, ok := v.(jsonvalue.Object)
	return ok && root["type"] == "object" && closed(root)
}

func closed(root any) bool {
	return wire.Schemas(root, func(schema jsonvalue.Object) bool {
		properties, has := schema["properties"].(jsonvalue.Object)
		return !has && schema["type"] != "object" ||
			schema["additionalProperties"] == false && allRequired(properties, schema["required"])
	})
}

func allRequired(properties jsonvalue.Object, required any) bool {
	names, _ := required.([]any)
	listed := make(map[string]bool, len(names))
	for _, name := range names {
		if s, ok := name.(string); ok {
			listed[s] = true
		}
	}
	for name := range properties {
		if !listed[name] {
			return false
		}
	}
	return true
}

// strictForm is a schema in the form to which the API holds the arguments of a call: every object closed, and all its
// properties required. A schema that is no JSON stays as it is.
func strictForm(schema json.RawMessage) json.RawMessage {
	v, err := chat.DecodeJSON(schema)
	if err != nil {
		return schema
	}
	closeObjects(v)
	data, err := wire.JSON(v)
	if err != nil {
		return schema
	}
	return data
}

func closeObjects(root any) {
	wire.Schemas(root, func(schema jsonvalue.Object) bool {
		if properties, has := schema["properties"].(jsonvalue.Object); has || schema["type"] == "object" {
			schema["additionalProperties"] = false
			schema["required"] = append([]string{}, slices.Sorted(maps.Keys(properties))...)
		}
		return true
	})
}
