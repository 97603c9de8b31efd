package checks

import (
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// exampleSpecs are the checks in the accepted examples of d that have parameters.
func exampleSpecs(t *testing.T, d *Def) (specs []*scenario.Check) {
	t.Helper()
	var problems diag.List
	list, err := d.exampleNodes(&problems)
	if err != nil || problems.Errors() > 0 {
		t.Fatal(err, problems.Sorted())
	}
	r := &node.Reader{File: d.exampleFile(), Diags: &problems}
	for _, n := range list {
		params, name := node.Get(n, "params"), d.Name
		if other := node.Get(n, "type"); other != nil {
			name = other.Value
		}
		if params != nil && node.Get(n, "want") != nil {
			specs = append(specs, &scenario.Check{Type: name, Pos: r.Pos(n), Params: params, ParamsPos: r.Pos(n)})
		}
	}
	return specs
}
