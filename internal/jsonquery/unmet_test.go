package jsonquery

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// TestUnmet: a filter that compares what no item has is told apart from one that no item meets.
func TestUnmet(t *testing.T) {
	t.Parallel()
	v, err := chat.DecodeJSON([]byte(`{"items": [{"price": 5, "kind": {"id": "a"}}, {"price": 7, "kind": {"id": "b"}, "note": "x"}],
		"none": [], "by": {"a": {"n": 1}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"$.items[?(@.price > 10)]":                   "",
		"$.items[?(@.prices > 10)]":                  "no item has prices",
		"$.items[?(@.price > 10 && @.kinds == 'a')]": "no item has kinds",
		"$.items[?(@.kind.id == 'c')].price":         "",
		"$.items[?(@.kind.name == 'c')].price":       "no item has kind.name",
		"$.items[?(@.price > '10')]":                 "price is a number in each item, and is compared with a text",
		"$.items[?(@.note == 'y')]":                  "", // one has a note
		"$.items[?(@.prices < 10 || @.price == 5)]":  "", // it selects something
		"$.none[?(@.prices > 10)]":                   "",
		"$.by[?(@.m == 1)]":                          "no item has m",
		"$.items[*].price":                           "",
		"items[?price > `10`]":                       "",
		"items[?prices > `10`]":                      "no item has prices",
		"items[?kind.name == 'c'].price":             "no item has kind.name",
		"items[?price > '10']":                       "price is a number in each item, and is compared with a text",
		"items[?note == null]":                       "",
		"items[?prize]":                              "", // whether it is there is asked
		"length(items[?prices > `10`])":              "no item has prices",
	} {
		q, err := Compile(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := q.Unmet(v); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
