package conformance

import (
	"slices"
	"strconv"
	"testing"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// emptiest are the values that ask for the least. false is a choice, and no value that is empty.
var emptiest = []string{`""`, "[]", "{}", "0", "null", "~", "", `" "`, `[""]`, `[" "]`, "[null]", "[{}]"}

// A parameter with the emptiest value is told of, or the check can still say no: to one of the conversations of its
// examples.
func TestEmptiestValues(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, d := range checks.Builtin() {
		list := slices.DeleteFunc(readExamples(t, d), func(x example) bool { return x.Want == "" || x.HTTP != nil })
		for _, x := range list {
			if x.Want != "failed" || x.params == nil {
				continue
			}
			for _, at := range append(placesIn(x.params, nil), unsaid(d, x.params)...) {
				for _, value := range emptiest {
					if value == "0" && !at.number {
						continue // a name or a text
					}
					tried++
					if !toldOrFails(t, list, &x, at, value) {
						t.Errorf("%s: %s: %s: %q says no to nothing, without a word", d.Name, x.Name, at.path, value)
					}
				}
			}
		}
	}
	if tried < 9000 {
		t.Errorf("only %d were tried", tried)
	}
}

// place is a value in the parameters of a check, at any depth.
type place struct {
	path   []string
	number bool
}

// placesIn finds the values of a map or a list of parameters, and those in them.
func placesIn(n *node.Node, path []string) (found []place) {
	for i, v := range n.Content {
		key := strconv.Itoa(i)
		if n.Kind == node.Map {
			if key = n.Content[i-i%2].Value; i%2 == 0 || slices.Contains([]string{"min_score", "max_score", "message"}, key) {
				continue
			}
		}
		at := append(slices.Clone(path), key)
		found = append(found, place{at, v.ShortTag() == "!!int" || v.ShortTag() == "!!float"})
		found = append(found, placesIn(v, at)...)
	}
	return found
}

// unsaid are the parameters of a check that an example leaves out.
func unsaid(d *checks.Def, params *node.Node) (found []place) {
	for key, doc := range d.ParamSchema().Properties {
		if node.Get(params, key) == nil && !slices.Contains([]string{"min_score", "max_score", "message"}, key) {
			number := slices.Contains(doc.Type, "number") || slices.Contains(doc.Type, "integer")
			found = append(found, place{[]string{key}, number})
		}
	}
	return found
}

// replaced is a copy of a value with another one at a path.
func replaced(n *node.Node, path []string, value *node.Node) *node.Node {
	if len(path) == 0 {
		return value
	}
	made := *n
	made.Content = slices.Clone(n.Content)
	if n.Kind == node.Map && node.Get(n, path[0]) == nil {
		key := node.Node{Kind: node.Scalar, Tag: "!!str", Line: n.Line, Column: n.Column}
		key.Value = path[0]
		made.Content = append(made.Content, &key, value)
		return &made
	}
	for i, v := range n.Content {
		if n.Kind == node.Map && i%2 == 1 && n.Content[i-1].Value == path[0] ||
			n.Kind == node.List && strconv.Itoa(i) == path[0] {
			made.Content[i] = replaced(v, path[1:], value)
		}
	}
	return &made
}

// toldOrFails reports whether an example with another value at a place has a problem, or fails somewhere.
func toldOrFails(t *testing.T, list []example, x *example, at place, value string) bool {
	t.Helper()
	var problems diag.List
	docs := node.Parse(&node.Reader{Diags: &problems}, []byte("k: "+value+"\n"))
	params := replaced(x.params, at.path, docs[0].Content[1])
	spec := &scenario.Check{Type: x.Type, Pos: x.paramsPos, Params: params, ParamsPos: x.paramsPos, Settled: true}
	compiled := (&checks.Compiler{}).Compile(spec, &problems)
	if compiled == nil || len(problems.Sorted()) > 0 {
		return true
	}
	for i := range list {
		s, _ := (&Vector{Context: list[i].vectorContext, Tools: list[i].Tools}).subject(list[i].Scope)
		if judges := list[i].judges(); judges != nil {
			s.Judges = judges
		}
		if v := compiled.Judge(t.Context(), s); v.Status != result.Passed && v.Status != result.Skipped {
			return true
		}
	}
	return false
}
