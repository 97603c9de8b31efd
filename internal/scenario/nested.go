package scenario

import (
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// NestedCheck is a check in the parameters of another.
type NestedCheck struct {
	Check
	Weight float64 // 1 when it has none
}

// maxWeight keeps sums of weights finite.
const maxWeight = 1e6

// nestedFields are the keys of a check in another one, which decides for all trials at once.
var nestedFields = table("a nested check", nestedRows).strays(underParams).shows("{type: contains, params: " +
	"{patterns: […]}}")

// weightedFields are the keys of a nested check with a weight.
var weightedFields = table("a weighted check", func() rows[NestedCheck] {
	return append(nestedRows(), num("weight", keys.Number{Low: 0, High: maxWeight, Above: true},
		func(p *NestedCheck) *float64 { return &p.Weight }).doc("How much its score counts; 1 when left out."))
}).strays(underParams)

func nestedRows() rows[NestedCheck] {
	return append(checkRows(func(p *NestedCheck) *Check { return &p.Check }), gone[NestedCheck]("pass_threshold",
		"pass_threshold counts trials, and a check within another one is not counted by itself",
		"write it beside the type of the outermost check"))
}

// The schemas of such checks, as CheckSchema.Params refers to them.
const (
	NestedSchema   = "#/$defs/nested-check"
	WeightedSchema = "#/$defs/weighted-check"
)

// ReadNested reads a check in the parameters of another. It returns nil when n is not a map; after other problems the
// result may be incomplete. what names the place in messages: "all_of: checks[0]".
func ReadNested(r *node.Reader, n *node.Node, what string, weighted bool) *NestedCheck {
	of := *nestedFields
	if weighted {
		of = *weightedFields
	}
	of.what = what
	var problems diag.List
	d := &decoder{Reader: node.Reader{File: r.File, Diags: &problems, Lenient: r.Lenient}}
	p := &NestedCheck{Check: Check{Pos: r.Pos(n)}, Weight: 1}
	if !of.read(d, n, p) {
		p = nil
	}
	for _, problem := range problems.Sorted() {
		if !strings.Contains(problem.Msg, what) {
			problem.Msg = what + ": " + problem.Msg
		}
		r.Diags.Add(problem)
	}
	return p
}
