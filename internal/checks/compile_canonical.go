package checks

import (
	"encoding/json"
	"fmt"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// CanonicalParams returns parameters, given as JSON, under their canonical names and with defaults for missing ones. It
// leaves out unknown keys. It returns an error when there is no such check, or when the text is not a JSON object.
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
	out := b.canonical(e.Def.layout())
	if problems.Errors() > 0 {
		return nil, fmt.Errorf("%s", problems.Sorted()[0].Msg)
	}
	return out, nil
}

// canonical returns the parameters under their canonical names, with defaults.
func (b *binder) canonical(l *layout) map[string]any {
	given, _ := b.collect(l, b.body, "")
	out := map[string]any{}
	for i := range l.fields {
		f := &l.fields[i]
		switch v := b.choose(f, given, true); {
		case v != nil:
			out[f.Name] = b.r.Any(v)
		case b.preset(f) != "":
			out[f.Name] = b.preset(f)
		case f.Default != "":
			out[f.Name] = fileValue(f.Default)
		}
	}
	return out
}

// fileValue is a default value as a file would hold it: a number, a boolean, or a text.
func fileValue(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}
