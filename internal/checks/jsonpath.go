package checks

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/ohler55/ojg/jp"
)

func newJSONPath(text string) (*query, error) {
	path, err := jp.ParseString(text)
	if err != nil {
		return nil, err
	}
	definite, ordered := true, true
	for _, frag := range path {
		switch frag.(type) {
		case jp.Root, jp.At, jp.Bracket, jp.Child, jp.Nth:
		case jp.Slice, jp.Union:
			definite = false
		default: // wildcard, descent, filter
			definite, ordered = false, false
		}
	}
	q := &query{text: text, definite: definite}
	q.run = guarded(func(doc any) (selection, error) {
		found := path.Get(pathValue(doc, !ordered))
		for i := range found {
			found[i] = plainValue(found[i])
		}
		if !definite {
			return selection{value: list(found), found: true, many: true}, nil
		}
		if len(found) == 0 {
			return selection{}, nil
		}
		return selection{value: found[0], found: true}, nil
	})
	return q, nil
}

// list makes nothing found an empty list rather than none.
func list(found []any) []any {
	if found == nil {
		return []any{}
	}
	return found
}

// pathValue converts a decoded document into what the path library computes with: int64 and float64 for numbers that
// fit, json.Number for the rest. With sorted, objects become sortedObjects.
func pathValue(v any, sorted bool) any {
	switch x := v.(type) {
	case json.Number:
		if i, err := x.Int64(); err == nil {
			return i
		}
		if plainInteger(x.String()) {
			return x
		}
		if f, err := x.Float64(); err == nil {
			return f
		}
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = pathValue(item, sorted)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, item := range x {
			out[k] = pathValue(item, sorted)
		}
		if sorted {
			return &sortedObject{out, slices.Sorted(maps.Keys(out))}
		}
		return out
	}
	return v
}

// plainValue undoes sortedObject.
func plainValue(v any) any {
	switch x := v.(type) {
	case []any:
		for i := range x {
			x[i] = plainValue(x[i])
		}
	case *sortedObject:
		for k, item := range x.m {
			x.m[k] = plainValue(item)
		}
		return x.m
	}
	return v
}

// sortedObject gives the path library the members of an object in one order; it walks plain maps in a random one.
type sortedObject struct {
	m    map[string]any
	keys []string
}

// ValueForKey is part of jp.Keyed.
func (o *sortedObject) ValueForKey(key string) (any, bool) {
	v, ok := o.m[key]
	return v, ok
}

// SetValueForKey is part of jp.Keyed; reading never calls it.
func (o *sortedObject) SetValueForKey(key string, value any) { o.m[key] = value }

// RemoveValueForKey is part of jp.Keyed; reading never calls it.
func (o *sortedObject) RemoveValueForKey(key string) { delete(o.m, key) }

// Keys is part of jp.Keyed.
func (o *sortedObject) Keys() []string { return o.keys }
