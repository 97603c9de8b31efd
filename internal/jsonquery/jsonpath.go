package jsonquery

import "github.com/ohler55/ojg/jp"

func newJSONPath(text string) (*Query, error) {
	path, err := jp.ParseString(text)
	if err != nil {
		return nil, pathSyntax(text, err)
	}
	definite, walks, computes := true, false, false
	for _, frag := range path {
		switch frag.(type) {
		case jp.Root, jp.At, jp.Bracket, jp.Child, jp.Nth:
		case jp.Slice, jp.Union:
			definite = false
		case jp.Wildcard, jp.Descent:
			definite, walks = false, true
		default: // filter
			definite, walks, computes = false, true, true
		}
	}
	q := &Query{
		Text: text, Definite: definite, lost: func(doc any) bool { return lostPath(path, doc) },
		unmet: func(doc any) string { return unmetFilter(path, doc) },
	}
	q.run = guarded(func(doc any) (Selection, error) {
		var found []any
		if walks {
			found = walk(path, doc, computes)
		} else {
			found = path.Get(doc)
		}
		if found == nil {
			found = []any{}
		}
		if !definite {
			return Selection{Value: found, Found: true, Many: true}, nil
		}
		if len(found) == 0 {
			return Selection{}, nil
		}
		return Selection{Value: found[0], Found: true}, nil
	})
	return q, nil
}

// walk follows a path that goes through the members of objects, or computes with numbers too.
func walk(path jp.Expr, doc any, computes bool) []any {
	d := pathDocument{numbers: computes}
	found := path.Get(d.root(doc))
	for i := range found {
		found[i] = d.plain(found[i])
	}
	return found
}
