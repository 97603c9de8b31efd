package spans

// Parts joins the spans of a program that goes on, part by part: of a conversation, turn by turn. Spans that are around
// others may come in a later part than those. The zero value is ready.
type Parts struct {
	came map[string]bool // spans of earlier parts, by what tells them apart
	ids  map[string]bool // ids of all
	// counted are the ids of spans within which an earlier part told what was spent: their own sums do not count again.
	counted map[string]bool
	missing map[string]int // spans whose parent did not come yet, by its id
}

// Next is the trace of what came since the part before. A span that came in an earlier one is left out. Spans whose
// parents did not come yet count like others; see Missing.
func (p *Parts) Next(came []Span) *Trace {
	if p.came == nil {
		p.came, p.ids = map[string]bool{}, map[string]bool{}
		p.counted, p.missing = map[string]bool{}, map[string]int{}
	}
	fresh := p.fresh(came)
	for i := range fresh {
		s := &fresh[i]
		p.came[partKey(s)] = true
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

// Peek is the trace that Next would be, which still is to come.
func (p *Parts) Peek(came []Span) *Trace { return newTrace(p.fresh(came), p) }

// fresh are the spans that did not come in an earlier part.
func (p *Parts) fresh(came []Span) []Span {
	fresh := make([]Span, 0, len(came))
	for _, s := range came {
		if s.ID == "" || !p.came[partKey(&s)] {
			fresh = append(fresh, s)
		}
	}
	return fresh
}

// spent notes the spans that are around what a part tells to have been spent.
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

// Missing is how many spans have a parent that did not come.
func (p *Parts) Missing() (n int) {
	for _, children := range p.missing {
		n += children
	}
	return n
}

func partKey(s *Span) string { return s.ID + "\x00" + s.Name + "\x00" + s.Start.String() }
