package scenario

import (
	"cmp"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// keyTable is what fields are whatever they are read into. It is apart because the compiler makes code of its own for
// each type that fields have.
type keyTable struct {
	what   string             // for messages: "a turn"
	listed func() []*keys.Key // all keys, those that are only known to be wrong too
	// stray says where an unknown key belongs, or "".
	stray func(key string) string
	free  bool // other keys are allowed
	shown string
}

// Example is a map as messages show it; "": its keys say enough.
func (t *keyTable) Example() string { return t.shown }

// Keys implements keys.Table: what may be written. Keys that are only known to be wrong are not among them.
func (t *keyTable) Keys() []*keys.Key {
	all := t.listed()
	list := make([]*keys.Key, 0, len(all))
	for _, x := range all {
		if x.Wrong == "" {
			list = append(list, x)
		}
	}
	return list
}

// names lists what may be written.
func (t *keyTable) names() []string { return keys.Names(t.Keys()) }

// Title implements keys.Table.
func (t *keyTable) Title() string { return t.what }

// Open implements keys.Table.
func (t *keyTable) Open() bool { return t.free }

// Label implements keys.Shape.
func (t *keyTable) Label() string { return "map" }

// walk walks a map once: every key, its value, and at the end what is missing. read gets the values of keys that have a
// reader, with the index of the key. It returns false when n is no map.
func (t *keyTable) walk(d *decoder, n *node.Node, read func(j int, v *node.Node)) bool {
	if n == nil || n.Kind != node.Map {
		return d.Fields(n, t.what, nil, nil) // reports it
	}
	all := t.listed()
	var seen uint64
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if d.Repeated(n, i) {
			continue
		}
		j := t.index(k.Value)
		if j < 0 {
			seen |= t.unknown(d, k, v)
			continue
		}
		seen |= 1 << j
		d.swallowed(k.Value, v, n, t.Keys)
		if m, ok := all[j].Shape.(keys.Map); ok && isFree(m) {
			d.swallowedIn(v, n, t.Keys)
		}
		if contains(proseKeys, k.Value) {
			d.cutText(k.Value, v)
		}
		before := d.Diags.Errors()
		if x := all[j]; d.admits(x, k, v) {
			if x.AsIs {
				v = withoutPlaces(v, func(at *node.Node, place string) {
					d.unfilledPlace(at, x.Name, place, cmp.Or(x.Unfilled, writeValue))
				})
			}
			read(j, v)
		}
		if d.Diags.Errors() > before && all[j].Shape != nil {
			keys.Explain(d, all[j].Name, all[j].Shape, v)
		}
	}
	for j, x := range all {
		if x.Required && seen&(1<<j) == 0 {
			d.Missing(n, t.what, x.Name).Hint = cmp.Or(x.Hint, "add "+keys.Sample(x.Name, x.Shape))
		}
	}
	return true
}

func (t *keyTable) index(name string) int {
	return slices.IndexFunc(t.listed(), func(x *keys.Key) bool { return x.Name == name })
}

// unknown reports a key and returns the field that was probably meant, which is then not reported as missing.
func (t *keyTable) unknown(d *decoder, k, v *node.Node) (meant uint64) {
	if t.free {
		if !d.stray(k, v, nobody, t.what) {
			d.strayChecks(v, nobody, t.what)
		}
		return 0
	}
	names := t.names()
	report := d.Unknown(k, t.what, names)
	if where := placementHint(k.Value); where != "" {
		report.Hint = where
	}
	if t.stray != nil {
		if hint := t.stray(k.Value); hint != "" {
			report.Hint = hint
		}
	}
	if hint := otherWords(t.what, k.Value); hint != "" {
		report.Hint = hint
		return 0
	}
	if near := diag.Nearest(k.Value, names); near != "" {
		meant = 1 << t.index(near)
	}
	return meant
}

// admits reports whether a value is for the reader of its key. What it is not for is reported, or, where the key has no
// reader, checked against its shape.
func (d *decoder) admits(x *keys.Key, k, v *node.Node) bool {
	before := d.Diags.Errors()
	d.misplaced(x.Shape, v, x.Name)
	switch {
	case x.Wrong != "":
		d.Errorf(k, "removed-field", "%s", x.Wrong).Hint = x.Hint
	case !x.Null && node.IsNull(v):
		d.Foreignf(k, "empty-value", "%s has no value", x.Name).Hint = "give it one, or remove the line"
	case x.Read:
		return true
	default:
		x.Shape.Check(d, v, x.Name)
		if x.Idle != "" && d.Diags.Errors() == before && (v.Kind != node.Scalar || !slices.Contains(x.Usual, v.Value)) {
			d.Warnf(k, NoEffect, "%s has no effect: %s", x.Name, x.Idle)
		}
	}
	return false
}
