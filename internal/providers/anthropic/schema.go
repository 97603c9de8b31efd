package anthropic

import (
	"encoding/json"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// schemas are schemas of replies in the form that the API takes. A run has few of them, and many calls.
var schemas sync.Map // text → json.RawMessage

// closedSchema is a schema whose objects have only the properties that it lists: with any other the API refuses the
// call. What fits it also fits the schema as it was.
func closedSchema(schema json.RawMessage) json.RawMessage {
	if known, ok := schemas.Load(string(schema)); ok {
		return known.(json.RawMessage)
	}
	closed := schema
	if v, err := chat.DecodeJSON(schema); err == nil {
		closeObjects(v)
		if data, err := wire.JSON(v); err == nil {
			closed = data
		}
	}
	schemas.Store(string(schema), closed)
	return closed
}

func closeObjects(v any) {
	wire.Schemas(v, func(schema jsonvalue.Object) bool {
		_, has := schema["properties"].(jsonvalue.Object)
		if _, described := schema["additionalProperties"].(jsonvalue.Object); has && !described {
			schema["additionalProperties"] = false
		}
		return true
	})
}
