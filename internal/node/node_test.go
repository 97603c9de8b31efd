package node_test

import (
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

func TestFollow(t *testing.T) {
	t.Parallel()
	const file = "a:\n  - b: 1\n    1: two\n  - c\n"
	root := node.Parse(&node.Reader{File: "f.yaml", Diags: &diag.List{}}, []byte(file))[0]
	for _, c := range []struct {
		name string
		path []string
		line int
	}{
		{"nowhere", nil, 1},
		{"keys and indexes", []string{"a", "0", "b"}, 2},
		{"a key that is a number", []string{"a", "0", "1"}, 3},
		{"an item", []string{"a", "1"}, 4},
		{"past the end of a list", []string{"a", "2", "b"}, 2},
		{"a negative index", []string{"a", "-1"}, 2},
		{"an unknown key", []string{"z", "0"}, 1},
		{"below a text", []string{"a", "1", "0"}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := node.Follow(root, c.path); got.Line != c.line {
				t.Errorf("%q led to line %d, want line %d", c.path, got.Line, c.line)
			}
		})
	}
}
