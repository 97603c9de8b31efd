package spans

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

const oneCall = `{"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"scope":{"name":"x"},"spans":[{
	"traceId":"aa","spanId":"bb","name":"execute_tool refund","startTimeUnixNano":"1","endTimeUnixNano":"2",
	"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},
		{"key":"gen_ai.tool.name","value":{"stringValue":"refund"}}]}]}]}]}`

// TestDamagedJSON damages each value of an export of one call: the call is told, or the damage is.
func TestDamagedJSON(t *testing.T) {
	t.Parallel()
	damaged, nothing := 0, map[string]bool{`{}`: true, `{"resourceSpans":null}`: true}
	for _, d := range damages(t, oneCall) {
		text, err := json.Marshal(d.of)
		if err != nil {
			t.Fatal(err)
		}
		damaged++
		var all []Span
		failed := JSON(text, func(_ string, s Span) { all = append(all, s) })
		var byLine []Span
		failedLine := Lines(strings.NewReader(string(text)), func(s Span) { byLine = append(byLine, s) })
		if d.empties { // an export of nothing is one
			continue
		}
		if failed == nil && len(NewTrace(all).Calls()) != 1 && !nothing[string(text)] {
			t.Errorf("%s: neither a call nor an error: %s", d.what, text)
		}
		if len(failedLine) == 0 && len(NewTrace(byLine).Calls()) != 1 {
			t.Errorf("%s: as a line neither a call nor an error: %s", d.what, text)
		}
	}
	if damaged < 200 {
		t.Errorf("%d exports", damaged)
	}
}

// damage is a document with one changed value.
type damage struct {
	what    string
	of      any
	empties bool // a list of spans, or of what is around them, is empty or not there, as in a document of nothing
}

// damages are all documents that differ from one in one place.
func damages(t *testing.T, text string) (all []damage) {
	t.Helper()
	decode := func() (v any) {
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	var walk func(v any, path []any)
	at := func(path []any) (root, parent any) {
		root = decode()
		parent = root
		for _, step := range path[:len(path)-1] {
			switch step := step.(type) {
			case string:
				parent = parent.(jsonvalue.Object)[step]
			case int:
				parent = parent.([]any)[step]
			}
		}
		return root, parent
	}
	damaged := func(what string, path []any, empties bool, change func(o jsonvalue.Object, key string, list []any, i int)) {
		root, parent := at(path)
		last := path[len(path)-1]
		key, _ := last.(string)
		i, _ := last.(int)
		o, _ := parent.(jsonvalue.Object)
		list, _ := parent.([]any)
		change(o, key, list, i)
		where, err := json.Marshal(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, damage{what + " " + string(where), root, empties})
	}
	walk = func(v any, path []any) {
		if len(path) > 0 {
			key, named := path[len(path)-1].(string)
			put := func(what string, other any) {
				damaged(what, path, false, func(o jsonvalue.Object, key string, list []any, i int) {
					if o != nil {
						o[key] = other
					} else {
						list[i] = other
					}
				})
			}
			written, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			put("null", nil)
			put("in a list", []any{v})
			put("a number", 7)
			put("as text", string(written))
			put("in an object", jsonvalue.Object{"value": v})
			put("an object of it", jsonvalue.Object{"0": v})
			put("true", true)
			if list, is := v.([]any); is && len(list) > 0 {
				put("an object of its elements", jsonvalue.Object{"0": list[0]})
				damaged("empty", path, key != "attributes", func(o jsonvalue.Object, key string, _ []any, _ int) { o[key] = []any{} })
			}
			if named {
				rename := func(to string) {
					damaged("as "+to, path, false, func(o jsonvalue.Object, key string, _ []any, _ int) {
						o[to] = o[key]
						delete(o, key)
					})
				}
				rename(key + "X")
				rename(strings.ToUpper(key[:1]) + key[1:])
				rename(snake(key))
				damaged("without", path, false, func(o jsonvalue.Object, key string, _ []any, _ int) { delete(o, key) })
			}
		}
		switch v := v.(type) {
		case jsonvalue.Object:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(v[key], append(slices.Clone(path), key))
			}
		case []any:
			for i := range v {
				walk(v[i], append(slices.Clone(path), i))
			}
		}
	}
	walk(decode(), nil)
	return all
}

// snake is a name as protocol buffers have it.
func snake(name string) string {
	var out strings.Builder
	for _, c := range name {
		if unicode.IsUpper(c) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(c))
	}
	return out.String()
}
