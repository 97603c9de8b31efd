package jsonvalue_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

func TestKeyTwice(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 40 {
		fmt.Fprintf(&many, `"k%d": [%d],`, i, i)
	}
	for doc, want := range map[string]string{
		`{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]}`:   "",
		`{"status": "failed", "x": "}\"", "status": "passed"}`: "status",
		`{"status": "failed", "st\u0061tus": "passed"}`:        "status",
		`{"status": "failed", "STATUS": "passed"}`:             "STATUS",
		`[{"a": true}, {"b": null, "b": -1.5e3}]`:              "b",
		`{"args": {"Card": 1, "card": 2}}`:                     "",
		`{"args": {"card": 1, "card": 2}}`:                     "card",
		`{"artifacts": {"Card": 1, "card": 2}}`:                "",
		`{"opaque": {"data": {"a": 1, "a": [2]}}, "b": 1}`:     "",
		`{"opaque": {"a": 1, "a": [2]}, "b": 1, "b": 2}`:       "b",
		`{"a": {}, "b": [], "c": "", "b": 0}`:                  "b",
		"{" + many.String() + `"k7": 0}`:                       "k7",
		"{" + many.String() + `"z": 0}`:                        "",
		`{"a": "\\", "b": "\\\"", "c": "\\\\\"a"}`:             "",
		`{"a": "\\", "b": "\"}", "a": 1}`:                      "a",
		`{"a\\": 1, "a": "\\", "a\\": 2}`:                      `a\`,
		`{"args": {"a": {"b": 1}}, "b": {"A": 1, "a": 2}}`:     "a",
		`{"a": {"b": {"c": 1}, "c": 1}, "c": 1, "b": 2}`:       "",
		`{"a": 1, "a`: "",
		`{`:           "", `[`: "", ``: "", `"`: "",
		`{"a": {"x": 1, "b": {}}, "b": {"a": [{"x": 1}]}, "a": 0}`: "a",
	} {
		if got, found := jsonvalue.KeyTwice([]byte(doc)); got != want || found != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", doc, got, found, want)
		}
	}
}

func BenchmarkKeyTwice(b *testing.B) {
	doc := []byte(`{"id":"a/b/default#1","turns":[{"index":0,"user":"` + strings.Repeat(`order \"12\" `, 20) +
		`","assertions":[{"type":"contains","status":"passed","passed":true,"score":1,"details":{"found":1,"total":1}}]}]}`)
	b.ReportAllocs()
	for b.Loop() {
		if key, twice := jsonvalue.KeyTwice(doc); twice {
			b.Fatal(key)
		}
	}
}

func TestKeyTwiceInReply(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		`{"choices": [{"message": {"content": "a", "Content": "b"}}]}`: "Content",
		`{"choices": [], "choice\u017f": []}`:                          "choice\u017f",
		`{"choices": [], "choiceſ": []}`:                               "choiceſ",
		`{"output": [{"text": "a", "Text": "b"}]}`:                     "Text",
		`{"data": {"text": "a", "text": "b"}}`:                         "text",
		`{"input": {"Card": 1, "card": 2}}`:                            "",
		`{"input": {"card": 1, "card": 2}}`:                            "card",
		`{"usage": {"a": 1}, "Usage": {"a": 2}}`:                       "Usage",
		`{"tools": [{"parameters": {"a": 1, "A": 2}}]}`:                "",
	} {
		if got, found := jsonvalue.KeyTwiceInReply([]byte(doc)); got != want && !strings.Contains(doc, `\u`) ||
			found != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", doc, got, found, want)
		}
	}
	if key, found := jsonvalue.KeyTwiceAsWritten([]byte(`{"error": "a", "Error": 1, "error": null}`)); key != "error" || !found {
		t.Errorf("got %q, %v", key, found)
	}
}

// TestKeyTwiceComesToAnEnd tries every short text of the signs of JSON: most are none, and the search must end in all.
func TestKeyTwiceComesToAnEnd(t *testing.T) {
	t.Parallel()
	const signs, longest = `[]{},:"\a`, 5
	found := 0
	var grow func(doc string)
	grow = func(doc string) {
		if _, twice := jsonvalue.KeyTwiceAsWritten([]byte(doc)); twice && json.Valid([]byte(doc)) {
			t.Errorf("%s: no object this short has a key twice", doc)
		}
		if found++; len(doc) == longest {
			return
		}
		for _, sign := range signs {
			grow(doc + string(sign))
		}
	}
	grow("")
	if found != 1+9+9*9+9*9*9+9*9*9*9+9*9*9*9*9 {
		t.Errorf("%d texts were tried", found)
	}
}

func TestDeeper(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]int{
		`{"a": [[]], "b": [{}, {}, {}], "c": "[[[[["}`: 3, `[]`: 1, `1`: 0, `"["`: 0, `[[`: 2, `"\"[["`: 0,
	} {
		for limit := range 6 {
			if got := jsonvalue.Deeper([]byte(doc), limit); got != (want > limit) {
				t.Errorf("%s: deeper than %d is %v", doc, limit, got)
			}
		}
	}
}
