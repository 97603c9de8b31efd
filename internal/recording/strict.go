package recording

import (
	"iter"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// known is object for what may have no other members than these.
func (b *builder) known(v value, what string, names ...string) (object, bool) {
	o, ok := b.object(v, what)
	if !ok {
		return o, false
	}
	fields := make(map[string]bool, len(names))
	for _, name := range names {
		fields[foldKey([]byte(name))] = true
	}
	for key, member := range v.members {
		if fields[foldKey(key)] {
			continue
		}
		name := cutText(string(key), 40)
		b.errorf(member, "unknown-field", "%s has an unknown field %q", what, name).
			Hint = orKnown(diag.DidYouMean(name, names), names)
		ok = false
	}
	return o, ok
}

// lines reads a text, or the list of its lines; "" when it is not there.
func (b *builder) lines(v value, what string) string {
	switch v.kind() {
	case 0, 'n':
		return ""
	case '"':
		s, _ := v.str()
		return s
	case '[':
		var list []string
		for item := range v.items {
			line, ok := item.str()
			if !ok {
				b.errorf(item, "wrong-type", "a line of %s must be text, found %s", what, describe(item))
				return ""
			}
			list = append(list, line)
		}
		return strings.Join(list, "\n")
	}
	b.errorf(v, "wrong-type", "%s must be text or the list of its lines, found %s", what, describe(v))
	return ""
}

// or is another value where this one is not there.
func (v value) or(other value) value {
	if v.kind() == 0 {
		return other
	}
	return v
}

// list is the items of a list; none when it is not there.
func (b *builder) list(v value, what string) iter.Seq[value] {
	if !v.missing() && v.kind() != '[' {
		b.errorf(v, "wrong-type", "%s must be a list, found %s", what, describe(v))
	}
	return v.items
}

// took reads how long something took, in milliseconds. No wait is longer than a day.
func (b *builder) took(v value) float64 {
	f := b.float(v, "latency_ms")
	if f == nil {
		return 0
	}
	const day = 24 * 60 * 60 * 1000
	if *f < 0 || *f > day {
		b.errorf(v, "out-of-range", "latency_ms cannot be %s; expected 0 to a day", cutText(string(v.text), 40))
	}
	return *f
}
