package cassette

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// TestEveryParameterIsRecorded: requests that differ in any field are different in a cassette.
func TestEveryParameterIsRecorded(t *testing.T) {
	t.Parallel()
	values := map[string]any{
		"Messages": []chat.Message{{Role: chat.User, Content: "Hello"}}, "Tools": []chat.Tool{{Name: "pay"}},
		"ToolChoice": "required", "Temperature": new(0.0), "TopP": new(0.0), "MaxTokens": new(7), "Seed": new(int64(0)),
		"Stream": true, "JSONSchema": json.RawMessage(`{"type":"array"}`), "SchemaName": "order", "JSON": true,
		"Stop": []string{"END"}, "ReasoningEffort": "low", "ParallelToolCalls": new(false),
		"Extra": map[string]any{"top_k": 3},
	}
	recorded := func(req *chat.Request) string {
		r, _, err := encoder{}.modelRequest("m", req)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	kind := reflect.TypeFor[chat.Request]()
	for field := range kind.Fields() {
		name := field.Name
		switch name {
		case "Origin", // says where the cassette belongs
			"Caching": // does not change the reply
			continue
		}
		var req chat.Request
		before := recorded(&req)
		if values[name] == nil {
			t.Errorf("there is no value of %s to try", name)
			continue
		}
		reflect.ValueOf(&req).Elem().FieldByName(name).Set(reflect.ValueOf(values[name]))
		if recorded(&req) == before {
			t.Errorf("%s is not recorded", name)
		}
	}
}
