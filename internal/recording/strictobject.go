package recording

import (
	"iter"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// strictObject is like object, and refuses unknown fields.
func (b *builder) strictObject(v value, what string, names ...string) (object, bool) {
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

// textOrLines reads a text, or a list of lines; "" when missing.
func (b *builder) textOrLines(v value, what string) string {
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

// or returns other when the value is missing.
func (v value) or(other value) value {
	if v.kind() == 0 {
		return other
	}
	return v
}

// list yields the items of a list; none when missing.
func (b *builder) list(v value, what string) iter.Seq[value] {
	if !v.missing() && v.kind() != '[' {
		b.errorf(v, "wrong-type", "%s must be a list, found %s", what, describe(v))
	}
	return v.items
}

// latency reads a duration in milliseconds, at most a day.
func (b *builder) latency(v value) float64 {
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
