package cassette

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/recording"
)

// TestRecordingKnowsEveryField: the reader of recordings refuses unknown fields of a cassette, so it must know all
// fields that are written. The test reads each cassette to its end, since any other error would hide unknown fields
// after it.
func TestRecordingKnowsEveryField(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			talk := exchange{Kind: kindModel, At: "turn 1", Request: new(modelRequest), Reply: &modelReply{Content: "x"}}
			full := exchange{At: "turn 1, call 1 (x)"}
			var doc document
			for _, v := range []any{&doc, &full} {
				fill(t, reflect.ValueOf(v).Elem())
			}
			full.Kind, full.At = kind, "turn 1, call 1 (x)"
			full.Request, full.Reply = shapes(kind)
			for _, v := range []any{full.Request, full.Reply} {
				fill(t, reflect.ValueOf(v).Elem())
			}
			if r, ok := full.Reply.(*modelReply); ok {
				r.Unreported = chat.UnreportedWords
			}
			if q, ok := full.Request.(*modelRequest); ok {
				q.AsBefore, q.Messages = 0, append(q.Messages, q.Messages[0])
				q.Messages[0].Role, q.Messages[0].Result = "assistant", nil
				q.Messages[1].Role, q.Messages[1].ToolCalls = "tool", nil
			}
			doc.Version, doc.Exchanges = Version, []exchange{talk, full}
			if kind == kindModel {
				doc.Exchanges = []exchange{full}
			}
			data, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "c.json")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := recording.Open(path, recording.Options{})
			if err != nil {
				t.Fatalf("%v\n%s", err, data)
			}
			if _, err := file.Load(0); err != nil {
				t.Fatalf("%v\n%s", err, data)
			}
		})
	}
}

// words are values for fields that do not accept any text.
var words = map[string]string{"type": "text", "sha256": strings.Repeat("ab", 32)}

// fill sets every field that is written to a file.
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
		switch v.Type() {
		case rawType:
			v.SetBytes([]byte("{}"))
			return
		case reflect.TypeFor[chunks]():
			v.Set(reflect.ValueOf(chunks{{1, 1}}))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Struct:
		for field := range v.Type().Fields() {
			if !field.IsExported() {
				continue
			}
			fill(t, v.FieldByIndex(field.Index))
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if word := words[name]; word != "" {
				v.FieldByIndex(field.Index).SetString(word)
			}
		}
	case reflect.Interface: // its type depends on the kind
	default:
		t.Fatalf("a value of type %s cannot be filled", v.Type())
	}
}
