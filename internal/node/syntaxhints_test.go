package node_test

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// Slips in the form of YAML are told with what to write.
func TestSyntaxHints(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"turns:\n  - role: user\n    content How long?\n    more: x\n":               `write ": " behind its name`,
		"assertions:\n      - type: contains\n      params: {patterns: [30 days]}\n": `indented two more than its "- "`,
	} {
		r := &node.Reader{File: "a.yaml", Diags: &diag.List{}}
		node.Parse(r, []byte(text))
		said := r.Diags.Sorted()
		if len(said) != 1 || !strings.Contains(said[0].Hint, says) {
			t.Errorf("%q: %+v, want %q", text, said, says)
		}
	}
}
