package runner

import "iter"

// DuplicateIDs yields trials whose id an earlier trial has, one for each pair of groups: projects with the same name
// may have scenarios with the same name. Its time does not depend on the number of trials.
func (p *Plan) DuplicateIDs() iter.Seq[*Trial] {
	return func(yield func(*Trial) bool) {
		groups := map[string]*spansByPrefix{}
		for k := range p.spans {
			s := &p.spans[k]
			g := groups[s.Group()]
			if g == nil {
				g = &spansByPrefix{}
				groups[s.Group()] = g
			}
			if t := g.duplicate(s); t != nil && !yield(t) {
				return
			}
			g.add(s)
		}
	}
}

// spansByPrefix are spans of trials whose ids begin with the same text.
type spansByPrefix struct {
	single map[string]bool // ids of spans with one trial, such as recorded conversations
	many   []*span
}

func (g *spansByPrefix) add(s *span) {
	if s.count > 1 {
		g.many = append(g.many, s)
		return
	}
	if g.single == nil {
		g.single = map[string]bool{}
	}
	g.single[s.ID()] = true
}

// duplicate is the first trial of a span whose id another trial has; nil: none.
func (g *spansByPrefix) duplicate(s *span) *Trial {
	const looked = maxVariants // number of trials to compare: they show which variants are equal
	for i := range min(s.count, looked) {
		if len(g.single) == 0 && len(g.many) == 0 {
			return nil
		}
		t := s.trial(i)
		id := t.ID()
		if g.single[id] {
			return &t
		}
		for _, other := range g.many {
			if at := s.start() + i - other.start(); at >= 0 && at < other.count {
				if same := other.trial(at); same.ID() == id {
					return &t
				}
			}
		}
	}
	return nil
}

// start is the index of the first trial within its group.
func (s *span) start() int {
	if s.rows != nil {
		return s.at
	}
	return s.N
}
