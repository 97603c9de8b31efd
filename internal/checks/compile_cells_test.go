package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// Cells that stand for nothing, or cannot be found, are told of where the check would pass by them.
func TestOddCells(t *testing.T) {
	t.Parallel()
	type told struct{ ban, want bool }
	for cell, want := range map[string]told{
		"N/A": {ban: true}, "null": {ban: true}, "TODO": {ban: true}, `["a", "b"]`: {ban: true}, "two\nlines": {ban: true},
		"-": {true, true}, "...": {true, true}, "\u200b": {true, true}, "\u2800": {true, true}, "?": {true, true},
		"refund": {}, "[Name]": {}, "N/A on Mondays": {}, "+": {}, "5": {}, "天": {}, "€": {}, "None of these": {},
	} {
		for check, c := range map[string]struct {
			params string
			want   bool
		}{
			"content_excludes": {`{"patterns": [%]}`, want.ban}, "contains": {`{"patterns": [%]}`, want.want},
			"output_contains":            {`{"value": %}`, want.want},
			"not":                        {`{"check": {"type": "contains", "params": {"patterns": [%]}}}`, want.ban},
			"tool_args_excluded_session": {`{"tool_name": "pay", "excluded_args": {"to": %}}`, want.ban},
		} {
			for _, filled := range []bool{true, false} {
				got := slices.ContainsFunc(compileFilled(t, check, c.params, cell, filled), func(p diag.Diagnostic) bool {
					return p.Code == "odd-value" && p.Severity == diag.Warning
				})
				if got != (c.want && filled) {
					t.Errorf("%s of %q, filled in: %t: told: %t", check, cell, filled, got)
				}
			}
		}
	}
}

// compileFilled compiles a check in whose parameters a text stands for %, as a value that was filled in.
func compileFilled(t *testing.T, check, params, text string, filled bool) []diag.Diagnostic {
	t.Helper()
	before, after, _ := strings.Cut(params, "%")
	var d diag.List
	docs := node.Parse(&node.Reader{File: "a.yaml", Diags: &d}, []byte(before+jsonvalue.Compact(text)+after))
	if len(docs) != 1 {
		t.Fatal(d.Sorted())
	}
	spec := &scenario.Check{Type: check, Params: docs[0], Settled: true}
	if filled {
		spec.Filled = map[*node.Node][]scenario.FilledIn{}
		fillIn(docs[0], text, spec.Filled)
	}
	(&Compiler{}).Compile(spec, &d)
	return d.Sorted()
}

func fillIn(n *node.Node, text string, filled map[*node.Node][]scenario.FilledIn) {
	if n.Kind == node.Scalar && n.Value == text {
		filled[n] = []scenario.FilledIn{{Place: "{{cell}}", Value: text}}
	}
	for _, inner := range n.Content {
		fillIn(inner, text, filled)
	}
}
