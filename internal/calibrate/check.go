package calibrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// defaultType is the type of a check that is given only as criteria.
const defaultType = "llm_judge"

// defaultThreshold is the least score that passes when only criteria are given. A check from a file passes as it does
// in a run.
const defaultThreshold = 0.5

// Override is what the command line changes of a check. Its zero value changes nothing.
type Override struct {
	Judge     bool     // use the judge of the command line, rather than the check's own
	Threshold *float64 // replaces min_score and max_score
	Votes     int      // replaces votes; 0: no change
}

// Criteria returns the check for criteria that are given alone.
func Criteria(text string, c Override) *scenario.Check {
	if c.Threshold == nil {
		c.Threshold = new(defaultThreshold)
	}
	params := &node.Node{Kind: node.Map, Tag: "!!map"}
	set(params, "criteria", "!!str", text)
	return c.apply(&scenario.Check{Type: defaultType, Params: params})
}

// ReadCheck finds the check in a file: the parameters of an llm_judge, a check as in a scenario, or a scenario file
// with one check that a judge grades. When there are several, line selects one; 0 selects none. It returns nil after a
// problem.
func ReadCheck(file string, data []byte, line int, c Override, d *diag.List) *scenario.Check {
	before := d.Errors()
	r := &node.Reader{File: file, Diags: d}
	docs := node.Parse(r, data)
	if d.Errors() > before {
		return nil
	}
	if line == 0 && len(docs) == 1 && docs[0].Kind == node.Map && node.Get(docs[0], "criteria") != nil {
		if root := docs[0]; node.Get(root, "type") == nil {
			return c.apply(&scenario.Check{Type: defaultType, Pos: r.Pos(root), Params: root, ParamsPos: r.Pos(root)})
		}
	}
	var found []gradedCheck
	for _, doc := range docs {
		found = append(found, graded(doc, scenario.TurnAssertion)...)
	}
	if line > 0 {
		found = slices.DeleteFunc(found, func(g gradedCheck) bool {
			return g.node.Line != line && node.Get(g.node, "type").Line != line
		})
	}
	if len(found) != 1 {
		reportAmbiguous(r, found, line)
		return nil
	}
	check := scenario.ReadCheck(r, found[0].node, found[0].surface)
	if check == nil {
		return nil
	}
	return c.apply(check)
}

// gradedCheck is a check that a judge grades, and its surface.
type gradedCheck struct {
	node    *node.Node
	surface scenario.Surface
}

// graded finds the checks that a judge grades, in the order of the file.
func graded(n *node.Node, surface scenario.Surface) (found []gradedCheck) {
	if node.Get(n, "trigger") != nil {
		surface = scenario.EvalSurface
	}
	if t := node.Get(n, "type"); t != nil && t.Kind == node.Scalar {
		if def, ok := checks.Lookup(t.Value); ok && def.Needs&checks.NeedsModel != 0 && def.Family != checks.FamilyCombined {
			found = append(found, gradedCheck{n, surface})
		}
	}
	for i, v := range n.Content {
		within := surface
		if n.Kind == node.Map && i%2 == 1 && n.Content[i-1].Value == "validators" {
			within = scenario.Guardrail
		}
		found = append(found, graded(v, within)...)
	}
	return found
}

func reportAmbiguous(r *node.Reader, found []gradedCheck, line int) {
	pos := diag.Pos{File: r.File, Line: int32(line)}
	if len(found) == 0 {
		r.Diags.Errorf(pos, 0, "no-check", "there is no check here that a model grades").
			Hint = "expected the parameters of an llm_judge, such as criteria: …, or a check such as " +
			"{type: llm_judge, params: {…}}"
		return
	}
	var places []string
	for _, g := range found {
		t := node.Get(g.node, "type")
		places = append(places, fmt.Sprintf("%s:%d (%s)", r.File, t.Line, t.Value))
	}
	r.Diags.Errorf(pos, 0, "many-checks", "a model grades several checks here").
		Hint = "name one by its line: " + strings.Join(places, ", ")
}

// apply applies the override to a check from a file.
func (c Override) apply(check *scenario.Check) *scenario.Check {
	if check.Params == nil {
		check.Params = &node.Node{Kind: node.Map, Tag: "!!map"}
	}
	if check.Params.Kind != node.Map { // the compiler reports it
		return check
	}
	drop := []string{}
	if c.Judge {
		drop = append(drop, "judge", "provider", "model")
	}
	if c.Threshold != nil {
		drop = append(drop, "min_score", "max_score")
		check.MinScore, check.MaxScore = c.Threshold, nil
	}
	if c.Votes > 0 {
		drop = append(drop, "votes")
	}
	check.Params = without(check.Params, drop)
	if c.Votes > 0 {
		set(check.Params, "votes", "!!int", fmt.Sprint(c.Votes))
	}
	return check
}

func without(n *node.Node, keys []string) *node.Node {
	out := *n
	out.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !slices.Contains(keys, n.Content[i].Value) {
			out.Content = append(out.Content, n.Content[i], n.Content[i+1])
		}
	}
	return &out
}

func set(n *node.Node, key, tag, value string) {
	n.Content = append(n.Content, &node.Node{Kind: node.Scalar, Tag: "!!str", Value: key},
		&node.Node{Kind: node.Scalar, Tag: tag, Value: value})
}
