package jsonquery

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// TestUnmet: a filter on a member that no item has differs from a filter that matches no item.
func TestUnmet(t *testing.T) {
	t.Parallel()
	v, err := chat.DecodeJSON([]byte(`{"items": [{"price": 5, "kind": {"id": "a"}}, {"price": 7, "kind": {"id": "b"}, "note": "x"}],
		"none": [], "by": {"a": {"n": 1}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"$.items[?(@.price > 10)]":                   "",
		"$.items[?(@.prices > 10)]":                  "no item has prices (did you mean price?)",
		"$.items[?(@.price > 10 && @.kinds == 'a')]": "no item has kinds (did you mean kind?)",
		"$.items[?(@.kind.id == 'c')].price":         "",
		"$.items[?(@.kind.ids == 'c')].price":        "no item has kind.ids (did you mean id?)",
		"$.items[?(@.price > '10')]":                 "price is a number in each item, and is compared with a text",
		"$.items[?(@.note == 'y')]":                  "", // one has a note
		"$.items[?(@.prices < 10 || @.price == 5)]":  "", // it selects something
		"$.none[?(@.prices > 10)]":                   "",
		"$.by[?(@.other == 1)]":                      "",
		"$.items[*].price":                           "",
		"items[?price > `10`]":                       "",
		"items[?prices > `10`]":                      "no item has prices (did you mean price?)",
		"items[?kind.idd == 'c'].price":              "no item has kind.idd (did you mean id?)",
		"items[?price > '10']":                       "price is a number in each item, and is compared with a text",
		"$.items[?(@.status == 'failed')]":           "", // which may come only with what failed
		"items[?error != null]":                      "",
		"items[?note == null]":                       "",
		"items[?prize]":                              "", // whether it is there is asked
		"length(items[?prices > `10`])":              "no item has prices (did you mean price?)",
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
