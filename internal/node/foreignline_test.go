package node

import (
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

// TestForeignLine: marks of merge conflicts and special blanks of web pages are named, with their position.
func TestForeignLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text      string
		line, col int32
		msg       string
	}{
		{"a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> other\n", 2, 1, "the mark of a merge conflict is still in the file"},
		{"a:\n  - b: x\n\u00a0\u00a0\u00a0\u00a0c: 2\n    d: 3\n", 3, 1, "a no-break space is used for indentation"},
		{"a:\n  - b: 1\n \u2003 c: 2\n    d: 3\n", 3, 2, "a no-break space is used for indentation"},
	} {
		var d diag.List
		Parse(&Reader{File: "a.yaml", Diags: &d}, []byte(tt.text))
		got := d.Sorted()
		if len(got) != 1 || got[0].Pos.Line != tt.line || got[0].Pos.Col != tt.col || got[0].Msg != tt.msg || got[0].Hint == "" {
			t.Errorf("%q: %+v", tt.text, got)
		}
	}
	var d diag.List
	Parse(&Reader{File: "a.yaml", Diags: &d}, []byte("a: |\n  x\n  \u00a0y\nb: \"\u00a0\"\n"))
	if got := d.Sorted(); len(got) > 0 {
		t.Errorf("texts with such spaces: %+v", got)
	}
}
