package jsonquery

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

func FuzzJSONPath(f *testing.F) {
	for _, seed := range []string{
		"$.a[?(@.b > 1)].c", "a[?b > `1`].c", "$..*", "keys(@)", "$[", "$.a[(@.length-1)]", "$['a",
	} {
		f.Add(seed, `{"a": [{"b": 2, "c": 3}]}`)
	}
	f.Add("$.a[?(@ > 5)]", `{"a": [1e999999, -1e400, 12345678901234567890, 12345678901234567891]}`)
	f.Add("a[?@ > `5`] | sum(@)", `{"a": [1e999999, 1e-999999, 12345678901234567890]}`)
	f.Fuzz(func(t *testing.T, expression, doc string) {
		if len(expression) > 200 || len(doc) > 2000 || strings.Contains(expression, "pad_") {
			return
		}
		q, err := Compile(expression)
		if err != nil {
			return
		}
		v, err := chat.DecodeJSON([]byte(doc))
		if err != nil {
			return
		}
		first, err := q.Run(v)
		again, errAgain := q.Run(v)
		q.Lost(v)
		if (err == nil) != (errAgain == nil) || err == nil && !jsonvalue.Equal(first.Value, again.Value) {
			t.Errorf("%q on %s gives %v (%v) and then %v (%v)", expression, doc, first, err, again, errAgain)
		}
	})
}
