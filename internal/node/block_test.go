package node

import (
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

func TestBlockText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, want string }{
		{"folded", "a: >\n  one\n  two: 2\n\n  three\nb: 1\n", "one\ntwo: 2\n\nthree"},
		{"with CRLF", "a: >-\r\n  one\r\n    two: 2\r\nb: 1\r\n", "one\n  two: 2"},
		{"at the end", "a: >\n   one\n   two", "one\ntwo"},
		{"after another document", "x: 1\n---\na: >\n  one\n  two\n", "one\ntwo\n"},
		{"literal", "a: |\n  one\n  two\n", "one\ntwo\n"},
		{"empty", "a: >\nb: 1\n", ""},
		{"no block", "a: \"one\\ntwo\"\n", "one\ntwo"},
	} {
		r := &Reader{File: "x.yaml", Diags: &diag.List{}}
		docs := Parse(r, []byte(c.file))
		if got := r.BlockText(Get(docs[len(docs)-1], "a")); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestQuotedLines(t *testing.T) {
	t.Parallel()
	const file = "a: \"b \\\"c\n  d: e\"\n" + "f: 'it''s\n  g: ''h''' # 'i\n" +
		"é: [x, &y \"z: \\\\\", \"1\n\n2\", plain\n text, *y]\n" + "k: |\n  \"l\n  m\"\n"
	var none diag.List
	r := &Reader{Diags: &none}
	var got [][]string
	var walk func(n *Node)
	walk = func(n *Node) {
		if lines := r.QuotedLines(n); lines != nil {
			got = append(got, lines)
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	for _, doc := range Parse(r, []byte(file)) {
		walk(doc)
	}
	want := [][]string{{`b \"c`, "  d: e"}, {"it''s", "  g: ''h''"}, {"1", "", "2"}}
	if none.Errors() > 0 || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q, want %q: %v", got, want, none.Sorted())
	}
}
