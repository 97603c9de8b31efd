package node

import (
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
