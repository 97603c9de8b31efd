package checks

import (
	"encoding/json"
	"fmt"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// CanonicalParams returns parameters, given as JSON, by their canonical names, and with the defaults of those that are
// left out. What is no parameter of the check is left out as well. An error says that there is no such check, or that
// the text holds no map.
func CanonicalParams(name string, params []byte) (map[string]any, error) {
	e, known := index()[name]
	if !known {
		return nil, fmt.Errorf("unknown check %q", name)
	}
	var problems diag.List
	r := &node.Reader{File: paramsFile, Diags: &problems, Lenient: true}
	b := &binder{r: r, def: e.Def, name: e.Type, read: map[string]*node.Node{}}
	if docs := node.Parse(r, params); len(docs) > 0 {
		b.body = docs[0]
	}
	l := e.Def.layout()
	given, _ := b.collect(l, b.body, "")
	if problems.Errors() > 0 {
		return nil, fmt.Errorf("%s", problems.Sorted()[0].Msg)
	}
	out := map[string]any{}
	for i := range l.fields {
		f := &l.fields[i]
		switch v := b.choose(f, given, true); {
		case v != nil:
			out[f.Name] = r.Any(v)
		case b.preset(f) != "":
			out[f.Name] = b.preset(f)
		case f.Default != "":
			out[f.Name] = fileValue(f.Default)
		}
	}
	return out, nil
}

// fileValue is a default as a file would hold it: a number, a truth, or text.
func fileValue(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}
