package runner

import "iter"

// Twice has trials with ids that others before them have, one for each two groups that are alike: their scenarios are
// called the same in projects that are. It takes no longer for many trials than for few.
func (p *Plan) Twice() iter.Seq[*Trial] {
	return func(yield func(*Trial) bool) {
		groups := map[string]*namesakes{}
		for k := range p.spans {
			s := &p.spans[k]
			g := groups[s.Group()]
			if g == nil {
				g = &namesakes{}
				groups[s.Group()] = g
			}
			if t := g.meets(s); t != nil && !yield(t) {
				return
			}
			g.add(s)
		}
	}
}

// namesakes are spans of trials with ids that begin alike.
type namesakes struct {
	single map[string]bool // ids of those that are of one trial: there are as many as a recording has conversations
	many   []*span
}

func (g *namesakes) add(s *span) {
	if s.count > 1 {
		g.many = append(g.many, s)
		return
	}
	if g.single == nil {
		g.single = map[string]bool{}
	}
	g.single[s.ID()] = true
}

// meets is the first trial of a span that has the id of another one; nil: none has.
func (g *namesakes) meets(s *span) *Trial {
	const looked = maxVariants // trials: which variants meet shows before
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

// start is the place of the first trial among all of its group.
func (s *span) start() int {
	if s.rows != nil {
		return s.at
	}
	return s.N
}
