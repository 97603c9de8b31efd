package node

import (
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

// TestQuestionInFlow: a question mark that the library refuses is pointed at.
func TestQuestionInFlow(t *testing.T) {
	t.Parallel()
	const question = "a ? cannot stand here, within { } or [ ]"
	const unclosed = "a map in { } is not closed, or lacks a comma"
	for _, c := range []struct {
		text, want string
		line, col  int32
	}{
		{"a: 1\nturn: {role: user, content: Where is it?, mock: \"4\"}\nb: 2\n", question, 2, 40},
		{"turns:\n  - {role: user, content: Where is it?, mock: \"4\"}\n", question, 2, 38},
		{"a: [Why?, x]\n", question, 1, 8},
		{"a: {b: \"really?\", c: it's ü?, d: 1}\n", question, 1, 28},
		{"a: {b: \"really?\", c: 1\nd: 1\n", unclosed, 0, 0},
	} {
		var d diag.List
		Parse(&Reader{File: "a.yaml", Diags: &d}, []byte(c.text))
		all := d.Sorted()
		if len(all) != 1 || all[0].Msg != c.want {
			t.Errorf("%s: %v", c.text, all)
			continue
		}
		if p := all[0].Pos; c.line != 0 && (p.Line != c.line || p.Col != c.col) {
			t.Errorf("%s: %d:%d, want %d:%d", c.text, p.Line, p.Col, c.line, c.col)
		}
	}
}
