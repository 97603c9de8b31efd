package jsonquery_test

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/jsonquery"
)

func TestReads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"id": "id", "a.b": "a", "a[0].b": "a", "{o: id, p: b.c}": "b id", "[a, b]": "a b", "a || b": "a b",
		"items[?price > `1`].name": "items", "join(', ', names)": "names", "sort_by(list, &rank)": "list",
		"@": "", "@.a": "a", "*.b": "", "a | b": "a", "@ | b": "b", `"odd name"`: "odd name", "a[].b": "a",
		"list[*].{x: y}": "list", "list[?x == $.limit]": "limit list", "!a && b": "a b", "{": "",
		"$.a.b": "a", "$[0]": "", "$..x": "", "$": "", "length(a) > length(b)": "a b",
	} {
		if got := strings.Join(jsonquery.Reads(text), " "); got != want {
			t.Errorf("%s: reads %q, not %q", text, got, want)
		}
	}
}
