package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestDispatchSchemas: the schemas name every field that there is, and fit what is written.
func TestDispatchSchemas(t *testing.T) {
	t.Parallel()
	message := dispatch.Message{Message: chat.Message{Role: chat.Assistant, Content: "hi"}, At: time.Unix(1, 0).UTC()}
	request := &dispatch.Request{
		Version: dispatch.Version, ID: "a", Session: "s", Moment: dispatch.Turn, Messages: []dispatch.Message{message},
		Started: time.Unix(1, 0).UTC(), Evals: []string{"x"}, Labels: map[string]string{"a": "b"},
	}
	measured := []result.EvalResult{{ID: "x", Type: "contains", Trigger: "every_turn", Score: new(0.5)}}
	for _, c := range []struct {
		kind  scenario.SchemaKind
		value any
	}{
		{evalRequestSchema, request},
		{evalResultSchema, &dispatch.Results(request, measured, "w", time.Unix(2, 0).UTC())[0]},
	} {
		text, err := dispatchSchema(c.kind)
		if err != nil {
			t.Fatal(err)
		}
		var schema struct {
			Properties map[string]struct{ Description string }
		}
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		want := jsonFields(reflect.TypeOf(c.value).Elem())
		slices.Sort(want)
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(schema.Properties))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.kind.Name, diff)
		}
		for name, p := range schema.Properties {
			if p.Description == "" {
				t.Errorf("%s: %s is not described", c.kind.Name, name)
			}
		}
		validateJSON(t, text, c.value)
	}
}

func jsonFields(typ reflect.Type) (names []string) {
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			names = append(names, jsonFields(f.Type)...)
		} else if name != "-" {
			names = append(names, name)
		}
	}
	return names
}

func validateJSON(t *testing.T, schema []byte, v any) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("x.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("x.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Errorf("%s: %v", text, err)
	}
}
