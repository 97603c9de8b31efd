package spans

// Parts joins the spans of a running program, turn by turn. Enclosing spans may come in a later part than the spans
// within them. The zero value is ready.
type Parts struct {
	known map[string]bool // spans of earlier parts, by their identity
	ids   map[string]bool // ids of all
	// counted are the ids of spans whose inner spans were already counted: their own sums do not count again.
	counted map[string]bool
	missing map[string]int // spans whose parent has not come yet, by the parent's id
}

// Next returns the trace of the new spans. It leaves out spans of earlier parts. Spans whose parents have not come yet
// count like others; see Missing.
func (p *Parts) Next(received []Span) *Trace {
	if p.known == nil {
		p.known, p.ids = map[string]bool{}, map[string]bool{}
		p.counted, p.missing = map[string]bool{}, map[string]int{}
	}
	fresh := p.fresh(received)
	for i := range fresh {
		s := &fresh[i]
		p.known[partKey(s)] = true
		p.ids[s.ID] = true
		delete(p.missing, s.ID)
	}
	t := newTrace(fresh, p)
	for i := range t.Spans {
		if up := t.Spans[i].Parent; up != "" && !p.ids[up] {
			p.missing[up]++
		}
	}
	p.spent(t)
	return t
}

// Peek returns the trace that Next would return, without consuming the spans.
func (p *Parts) Peek(received []Span) *Trace { return newTrace(p.fresh(received), p) }

// fresh are the spans that are not in an earlier part.
func (p *Parts) fresh(received []Span) []Span {
	fresh := make([]Span, 0, len(received))
	for _, s := range received {
		if s.ID == "" || !p.known[partKey(&s)] {
			fresh = append(fresh, s)
		}
	}
	return fresh
}

// spent notes the spans around those whose usage counts.
func (p *Parts) spent(t *Trace) {
	for i := range t.Spans {
		if s := &t.Spans[i]; s.Usage == nil && s.CostUSD == nil && !p.counted[s.ID] {
			continue
		}
		at := i
		for range deepest {
			if t.parent[at] < 0 {
				break
			}
			at = t.parent[at]
		}
		if up := t.Spans[at].Parent; up != "" {
			p.counted[up] = true
		}
	}
}

// Missing is the number of spans whose parent has not come.
func (p *Parts) Missing() (n int) {
	for _, children := range p.missing {
		n += children
	}
	return n
}

func partKey(s *Span) string { return s.ID + "\x00" + s.Name + "\x00" + s.Start.String() }
