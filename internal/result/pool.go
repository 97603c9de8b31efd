package result

// pool assigns numbers to values, and mostly the same number to equal values.
type pool[T comparable] struct {
	values []T
	known  map[T]uint32
	last   uint32 // the last number
}

// maxKnown limits how many values a pool remembers: if all differ, remembering more saves nothing.
const maxKnown = 1 << 12

func (p *pool[T]) number(v T) uint32 {
	if len(p.values) > 0 && p.values[p.last] == v {
		return p.last
	}
	n, ok := p.known[v]
	if !ok {
		if p.known == nil || len(p.known) >= maxKnown {
			p.known = map[T]uint32{}
		}
		n = uint32(len(p.values))
		p.values, p.known[v] = append(p.values, v), n
	}
	p.last = n
	return n
}
