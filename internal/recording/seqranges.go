package recording

import (
	"cmp"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/sortby"
)

// seqRanges is the numbers of the events of a file, in any order.
type seqRanges struct{ ranges []seqRange }

// seqRange is a range of consecutive numbers.
type seqRange struct {
	first, last int64
	line        int32 // of the first
}

func (n *seqRanges) add(seq int64, line int32) {
	if i := len(n.ranges) - 1; i >= 0 {
		switch r := &n.ranges[i]; {
		case seq == r.last+1:
			r.last = seq
			return
		case seq >= r.first && seq <= r.last:
			return
		}
	}
	n.ranges = append(n.ranges, seqRange{seq, seq, line})
}

// gap returns the first missing number, from start on, that is followed by a later one, and the line of that later one.
// Line 0: none is missing.
func (n *seqRanges) gap(start int64) (missing int64, line int32) {
	sortby.Func(n.ranges, func(x, y seqRange) int { return cmp.Compare(x.first, y.first) })
	next := start
	for _, r := range n.ranges {
		if r.first > next {
			return next, r.line
		}
		next = max(next, r.last+1)
	}
	return 0, 0
}

// first is the lowest number. There must be one.
func (n *seqRanges) first() int64 {
	return slices.MinFunc(n.ranges, func(x, y seqRange) int { return cmp.Compare(x.first, y.first) }).first
}

// checkGaps refuses a file with missing events.
func (s *scan) checkGaps(n *seqRanges, start int64) {
	if missing, line := n.gap(start); line > 0 {
		s.errorf(diag.Pos{File: s.file, Line: line}, "lost-events",
			"seq %d is missing before this line: events are lost", missing).
			Hint = "the recording is incomplete; record the conversation again"
	}
}
