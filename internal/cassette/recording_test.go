package cassette

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/recording"
)

// TestRecordingKnowsEveryField: whoever reads cassettes as recordings refuses fields that he does not know, so he has
// to know all that are written.
func TestRecordingKnowsEveryField(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{kindModel, kindTool} {
		var doc document
		fill(t, reflect.ValueOf(&doc).Elem())
		x := &doc.Exchanges[0]
		x.Kind, x.At = kind, "turn 1, call 1 (x)"
		x.Request, x.Reply = shapes(kind)
		for _, v := range []any{x.Request, x.Reply} {
			fill(t, reflect.ValueOf(v).Elem())
		}
		if q, ok := x.Request.(*modelRequest); ok {
			q.AsBefore, q.Messages[0].Role = 0, "tool"
		}
		if r, ok := x.Reply.(*modelReply); ok {
			r.Chunks = chunks{{1, 1}}
		}
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "c.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := recording.Open(path, recording.Options{}); err != nil && strings.Contains(err.Error(), "unknown field") {
			t.Errorf("%s: %v\n%s", kind, err, data)
		}
	}
}

// fill gives every field that a file shows a value.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"x": 1}))
	case reflect.Slice:
		if v.Type() == rawType {
			v.SetBytes([]byte("{}"))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Struct:
		for field := range v.Type().Fields() {
			if field.IsExported() {
				fill(t, v.FieldByIndex(field.Index))
			}
		}
	case reflect.Interface: // it depends on the kind
	default:
		t.Fatalf("a value of type %s cannot be filled", v.Type())
	}
}
