package scenario

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// EvalProblems reads a list of eval definitions in JSON or YAML, and returns the names of the fields with errors, such
// as metric.name, sorted and unique. It does not look at checks.
func EvalProblems(data []byte) []string {
	var problems diag.List
	_, docs := readEvals("evals.json", data, nil, &problems)
	fields := []string{}
	for _, p := range problems.Sorted() {
		if p.Severity == diag.Error {
			fields = append(fields, fieldOf(docs, &p))
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// ReadEvals reads a list of eval definitions in JSON or YAML. Without compile their checks are not compiled.
func ReadEvals(file string, data []byte, compile func(*Check, *diag.List), problems *diag.List) []*Eval {
	list, _ := readEvals(file, data, compile, problems)
	return list
}

func readEvals(
	file string, data []byte, compile func(*Check, *diag.List), problems *diag.List,
) (list []*Eval, docs []*node.Node) {
	d := &decoder{Reader: node.Reader{File: file, Diags: problems}, compile: compile}
	docs = node.Parse(&d.Reader, data)
	for _, doc := range docs {
		list = append(list, d.evals(doc, "evals")...)
	}
	return list, docs
}

// fieldOf is the field of an eval at which a problem is reported.
func fieldOf(docs []*node.Node, p *diag.Diagnostic) string {
	var path string
	for _, doc := range docs {
		for _, eval := range doc.Content {
			if found, ok := pathTo(eval, "", p.Pos); ok {
				path = found
			}
		}
	}
	if _, missing, ok := strings.Cut(p.Msg, " has no "); ok && p.Code == "missing-field" {
		return strings.TrimPrefix(path+"."+missing, ".")
	}
	parts := strings.Split(path, ".")
	return strings.Join(parts[:min(len(parts), 2)], ".") // for a map with free keys: the map
}

// pathTo finds the value, or the key, that starts at a position.
func pathTo(n *node.Node, path string, pos diag.Pos) (found string, ok bool) {
	if n.Line == int(pos.Line) && n.Column == int(pos.Col) {
		return path, true
	}
	for i, v := range n.Content {
		below := path
		if n.Kind == node.Map {
			below = strings.TrimPrefix(path+"."+n.Content[i-i%2].Value, ".")
		}
		if found, ok := pathTo(v, below, pos); ok {
			return found, true
		}
	}
	return "", false
}
