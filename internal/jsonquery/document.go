package jsonquery

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// pathDocument is a decoded document in the form of the path library, for one query: members of objects have a fixed
// order, and numbers are machine numbers.
type pathDocument struct {
	numbers bool // the query computes with numbers; otherwise they are not converted
	long    map[*float64]*longNumber
	done    map[extent]bool // lists that are plain again
}

// longNumber is a number that does not fit into a machine number.
type longNumber struct {
	near  float64 // the library is given a pointer to it, and looks through it
	exact json.Number
}

// extent is the memory range of a list.
type extent struct {
	first  *any
	length int
}

// sortedObject gives the path library the members of an object in one order; it walks plain maps in a random one.
type sortedObject struct {
	m    jsonvalue.Object
	keys []string // nil: the object is plain again
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

// root converts a document. The document stays as it is.
func (d *pathDocument) root(doc any) any {
	out := d.convert(doc)
	d.rank()
	return out
}

func (d *pathDocument) convert(v any) any {
	switch x := v.(type) {
	case json.Number:
		if d.numbers {
			return d.machine(x)
		}
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = d.convert(item)
		}
		return out
	case jsonvalue.Object:
		out := make(jsonvalue.Object, len(x))
		for k, item := range x {
			out[k] = d.convert(item)
		}
		return &sortedObject{out, slices.Sorted(maps.Keys(out))}
	}
	return v
}

// machine is a number as int64 or float64, or a pointer to a number near it. What its exponent takes beyond all use
// stays as it is, and fulfils no condition.
func (d *pathDocument) machine(x json.Number) any {
	near, err := x.Float64()
	if jsonvalue.IsInteger(x.String()) {
		if i, err := x.Int64(); err == nil {
			return i
		}
	} else if err == nil {
		return near
	}
	if !jsonvalue.IsNumber(x) {
		return x
	}
	const largest = 1e308 // leaves room for rank
	n := &longNumber{max(-largest, min(near, largest)), x}
	if d.long == nil {
		d.long = map[*float64]*longNumber{}
	}
	d.long[&n.near] = n
	return &n.near
}

// rank makes the stand-ins of numbers that differ different, in the order of the numbers.
func (d *pathDocument) rank() {
	sorted := slices.SortedFunc(maps.Values(d.long), compareLong)
	for i := 1; i < len(sorted); i++ {
		last, n := sorted[i-1], sorted[i]
		if n.near = max(n.near, last.near); n.near == last.near && compareLong(last, n) < 0 {
			n.near = math.Nextafter(n.near, math.Inf(1))
		}
	}
}

func compareLong(a, b *longNumber) int {
	order, _ := jsonvalue.CompareNumbers(a.exact, b.exact)
	return order
}

// plain undoes convert but for the types of numbers. What is in several of the values found is walked once.
func (d *pathDocument) plain(v any) any {
	switch x := v.(type) {
	case *float64:
		return d.long[x].exact
	case []any:
		if d.again(x) {
			return v
		}
		for i := range x {
			x[i] = d.plain(x[i])
		}
	case *sortedObject:
		if x.keys != nil {
			x.keys = nil
			for k, item := range x.m {
				x.m[k] = d.plain(item)
			}
		}
		return x.m
	}
	return v
}

// again reports whether a list is plain already, and notes that it will be.
func (d *pathDocument) again(list []any) bool {
	if len(list) == 0 {
		return true
	}
	at := extent{&list[0], len(list)}
	if d.done[at] {
		return true
	}
	if d.done == nil {
		d.done = map[extent]bool{}
	}
	d.done[at] = true
	return false
}
