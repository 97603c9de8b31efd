package digest

import (
	"bytes"
	"slices"
)

// InOrder puts the pieces of b behind start, which end where ends says, into the order of their bytes. It takes the
// room behind b for that, and no other.
func InOrder(b []byte, start int, ends []int) []byte {
	type piece struct{ from, to int }
	var few [16]piece
	pieces, from, ordered := few[:0], start, true
	for _, to := range ends {
		if n := len(pieces); n > 0 {
			last := pieces[n-1]
			ordered = ordered && bytes.Compare(b[last.from:last.to], b[from:to]) <= 0
		}
		pieces = append(pieces, piece{from, to})
		from = to
	}
	if ordered {
		return b
	}
	slices.SortFunc(pieces, func(p, q piece) int { return bytes.Compare(b[p.from:p.to], b[q.from:q.to]) })
	size := len(b)
	for _, p := range pieces {
		b = append(b, b[p.from:p.to]...)
	}
	copy(b[start:], b[size:])
	return b[:size]
}
