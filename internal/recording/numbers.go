package recording

import (
	"cmp"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
)

// numbers are those of the events of a file. They may stand in any order, and more than once.
type numbers struct{ runs []numberRun }

// numberRun is numbers that followed one another.
type numberRun struct {
	first, last int64
	line        int32 // of the first
}

func (n *numbers) add(seq int64, line int32) {
	if i := len(n.runs) - 1; i >= 0 {
		switch r := &n.runs[i]; {
		case seq == r.last+1:
			r.last = seq
			return
		case seq >= r.first && seq <= r.last:
			return
		}
	}
	n.runs = append(n.runs, numberRun{seq, seq, line})
}

// gap returns the first number from start on that is missing although a later one is there, and the line of that; line
// is 0 when none is missing.
func (n *numbers) gap(start int64) (missing int64, line int32) {
	slices.SortStableFunc(n.runs, func(x, y numberRun) int { return cmp.Compare(x.first, y.first) })
	next := start
	for _, r := range n.runs {
		if r.first > next {
			return next, r.line
		}
		next = max(next, r.last+1)
	}
	return 0, 0
}

// first is the lowest of the numbers; there must be one.
func (n *numbers) first() int64 {
	return slices.MinFunc(n.runs, func(x, y numberRun) int { return cmp.Compare(x.first, y.first) }).first
}

// noGap refuses a file of which events are missing.
func (s *scan) noGap(n *numbers, start int64) {
	if missing, line := n.gap(start); line > 0 {
		s.errorf(diag.Pos{File: s.file, Line: line}, "lost-events",
			"seq %d is missing before this line: events are lost", missing).
			Hint = "the recording is not whole; record the conversation again"
	}
}
