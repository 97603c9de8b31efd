package composition

import "slices"

// ways says which decisions of branches a step depends on.
type ways struct {
	c  *Composition
	to map[string][]way // by the step that they lead to
}

// way is one of the two ways of a branch.
type way struct {
	branch *Step
	then   bool
}

func waysOf(c *Composition) ways {
	w := ways{c, map[string][]way{}}
	for _, s := range c.Steps {
		if s.Kind != Branch || s.Then == s.Else {
			continue
		}
		w.to[s.Then] = append(w.to[s.Then], way{s, true})
		if s.Else != "" {
			w.to[s.Else] = append(w.to[s.Else], way{s, false})
		}
	}
	return w
}

// outer returns the step itself, or the parallel step that holds it.
func (w *ways) outer(s *Step) *Step {
	for _, p := range w.c.Steps {
		if slices.Contains(p.Branches, s) {
			return p
		}
	}
	return s
}

// optional reports whether a step can be skipped.
func (w *ways) optional(s *Step) bool { return w.optionalWithin(s, len(w.to)+len(w.c.Steps)) }

// optionalWithin is optional for a limited number of dependencies: those of a broken graph may form a cycle.
func (w *ways) optionalWithin(s *Step, most int) bool {
	if s == nil || most < 0 {
		return false
	}
	if o := w.outer(s); o != s && w.optionalWithin(o, most-1) {
		return true
	}
	return len(w.to[s.ID]) > 0 || len(s.DependsOn) > 0 && !slices.ContainsFunc(s.DependsOn, func(id string) bool {
		return !w.optionalWithin(w.c.Step(id), most-1)
	})
}

// only returns the single way that leads to a step; false when there are none or several.
func (w *ways) only(s *Step) (way, bool) {
	if list := w.to[w.outer(s).ID]; len(list) == 1 {
		return list[0], true
	}
	return way{}, false
}

// excludes reports whether two steps are on different ways of one branch.
func (w *ways) excludes(a, b *Step) bool {
	x, ok := w.only(a)
	y, too := w.only(b)
	return ok && too && x.branch == y.branch && x.then != y.then
}

// implies reports whether a step runs only if another step runs.
func (w *ways) implies(s, other *Step) bool { return w.impliesWithin(s, other, len(w.c.Steps)) }

func (w *ways) impliesWithin(s, other *Step, most int) bool {
	if s == nil || most < 0 {
		return false
	}
	if s == other || w.outer(s) == w.outer(other) {
		return true
	}
	x, ok := w.only(s)
	y, too := w.only(other)
	if ok && too && x == y && len(other.DependsOn) == 0 {
		return true
	}
	if o := w.outer(s); o != s && w.impliesWithin(o, other, most-1) {
		return true
	}
	return len(s.DependsOn) > 0 && !slices.ContainsFunc(s.DependsOn, func(id string) bool {
		return !w.impliesWithin(w.c.Step(id), other, most-1)
	})
}
