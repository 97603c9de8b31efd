package composition

import "slices"

// Feeds reports whether another step reads the output of this one: in its input, its arguments, or to decide.
func (c *Composition) Feeds(id string) (feeds bool) {
	see := func(text string) {
		r, err := parse(text)
		feeds = feeds || err == nil && r.root == id
	}
	for s := range c.All() {
		references(s.Input, see)
		references(s.Args, see)
		feeds = feeds || s.If != nil && s.If.reads(id)
	}
	return feeds
}

// reads reports whether a predicate looks at the output of a step.
func (p *Predicate) reads(id string) (found bool) {
	see := func(text string) {
		r, err := parseSingle(text)
		found = found || err == nil && r.root == id
	}
	see(p.Path)
	references(p.Value, see)
	return found || p.Not != nil && p.Not.reads(id) ||
		slices.ContainsFunc(slices.Concat(p.All, p.Any), func(inner *Predicate) bool { return inner.reads(id) })
}
