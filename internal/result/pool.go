package result

// pool numbers values, and mostly gives equal ones the same number.
type pool[T comparable] struct {
	values []T
	known  map[T]uint32
	last   uint32 // the number that was given last
}

// maxKnown bounds what a pool remembers of what it has seen: where all values differ, that is not worth it.
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
