package spans

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/sortby"
)

// Trace is everything that a program reported about a conversation, or about a turn.
type Trace struct {
	// Spans are in the order of their starts. A span without a start follows the one received before it.
	Spans []Span
	// Notice describes impossible spans; "": there are none.
	Notice string

	calls  []Call
	parent []int // index of the parent in Spans; -1: none
	timed  []bool
	of     *Parts // nil: the trace is whole
}

// Call is a tool that was called.
type Call struct {
	Tool
	Start   time.Time // zero: not reported
	Took    time.Duration
	Failure string // "": it did not fail
	Span    int    // index in Spans, of the run or of the model's reply that asked for it
	Ran     bool   // a span tells that it ran; else a model asked for it, and no more is known
}

// NewTrace joins spans from one or several sources. A span that came twice counts once.
func NewTrace(received []Span) *Trace { return newTrace(received, nil) }

func newTrace(received []Span, of *Parts) *Trace {
	t := &Trace{Spans: inOrder(once(received)), of: of}
	t.link()
	t.findCalls()
	return t
}

// inOrder sorts spans by their starts.
func inOrder(list []Span) []Span {
	starts := make([]time.Time, len(list))
	order := make([]int, len(list))
	for i := range list {
		if starts[i], order[i] = list[i].Start, i; starts[i].IsZero() && i > 0 {
			starts[i] = starts[i-1]
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return starts[x].Compare(starts[y]) })
	sorted := make([]Span, len(list))
	for i, from := range order {
		sorted[i] = list[from]
	}
	return sorted
}

// once drops copies. Of a span that was reported at its start and at its end, the last report is used. Different spans
// with the same id are kept, for programs that give all spans one id.
func once(received []Span) []Span {
	type key struct {
		id, name string
		start    int64
	}
	at := map[key]int{}
	kept := make([]Span, 0, len(received))
	for i := range received {
		s := received[i]
		k := key{s.ID, s.Name, s.Start.UnixNano()}
		if n, duplicate := at[k]; duplicate && s.ID != "" {
			if kept[n].End.IsZero() {
				kept[n] = s
			}
			continue
		}
		at[k] = len(kept)
		kept = append(kept, s)
	}
	return kept
}

// link finds the parents of spans, and impossible relations.
func (t *Trace) link() {
	byID := map[string]int{}
	for i := range t.Spans {
		if id := t.Spans[i].ID; id != "" {
			byID[id] = i
		}
	}
	t.parent, t.timed = make([]int, len(t.Spans)), make([]bool, len(t.Spans))
	var untimed, orphans int
	for i := range t.Spans {
		s := &t.Spans[i]
		t.parent[i] = -1
		t.timed[i] = s.timed()
		if !t.timed[i] {
			untimed++
		}
		if s.Parent == "" {
			continue
		}
		up, found := byID[s.Parent]
		switch {
		case !found && t.of != nil:
			continue // it came before, or may come later
		case !found:
			orphans++
			t.timed[i] = false
			continue
		}
		t.parent[i] = up
	}
	rings := t.openRings()
	var wrong []string
	if untimed > 0 {
		wrong = append(wrong, fmt.Sprintf("%d without an end or with one before the start", untimed))
	}
	if orphans > 0 {
		wrong = append(wrong, fmt.Sprintf("%d whose parent did not come", orphans))
	}
	if rings > 0 {
		wrong = append(wrong, fmt.Sprintf("%d in a ring of parents", rings))
	}
	if len(wrong) > 0 {
		t.Notice = fmt.Sprintf("the trace has %s: %s; they are shown, and their times do not count",
			plural.Count(len(t.Spans), "span"), strings.Join(wrong, ", "))
	}
}

// openRings takes the parents of spans away that are in a ring of them, and counts these spans.
func (t *Trace) openRings() (count int) {
	const unvisited, walking, done = 0, 1, 2
	state := make([]uint8, len(t.Spans))
	for i := range t.Spans {
		at := i
		for at >= 0 && state[at] == unvisited {
			state[at] = walking
			at = t.parent[at]
		}
		if at >= 0 && state[at] == walking { // no span of a cycle has a parent
			for from := at; t.parent[from] >= 0; {
				next := t.parent[from]
				t.parent[from], t.timed[from], state[from] = -1, false, done
				count++
				from = next
			}
		}
		for at := i; at >= 0 && state[at] == walking; at = t.parent[at] {
			state[at] = done
		}
	}
	return count
}

// Depth is how many spans are around a span; 0 for one of the outermost.
func (t *Trace) Depth(i int) (depth int) {
	for i = t.parent[i]; i >= 0 && depth < deepest; i = t.parent[i] {
		depth++
	}
	return depth
}

// Timed reports whether the times of a span count.
func (t *Trace) Timed(i int) bool { return t.timed[i] }

// Calls are the tool calls in order. A call in a model's output counts if no span reports its run.
func (t *Trace) Calls() []Call { return t.calls }

// ModelCalls is the number of model replies.
func (t *Trace) ModelCalls() (n int) {
	for i := range t.Spans {
		if t.Spans[i].Kind == Model {
			n++
		}
	}
	return n
}

// Output is the output of the model that ended last; "" if there is none.
func (t *Trace) Output() string {
	last := -1
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.Kind != Model {
			continue
		}
		if last < 0 || cmpEnd(s, &t.Spans[last]) >= 0 {
			last = i
		}
	}
	if last < 0 {
		return ""
	}
	return t.Spans[last].Output
}

// cmpEnd compares the ends of spans. One without an end that can be ended before all others.
func cmpEnd(x, y *Span) int {
	if x.timed() != y.timed() {
		if x.timed() {
			return 1
		}
		return -1
	}
	return x.End.Compare(y.End)
}

// Duration is the time from the first start to the last end of the spans whose times count.
func (t *Trace) Duration() time.Duration {
	var first, last time.Time
	for i := range t.Spans {
		if !t.timed[i] {
			continue
		}
		if s := &t.Spans[i]; first.IsZero() || s.Start.Before(first) {
			first = s.Start
		}
		if s := &t.Spans[i]; s.End.After(last) {
			last = s.End
		}
	}
	return last.Sub(first)
}

// Spent yields the spans whose tokens and cost count: those of models, and others with usage that have no such span
// within them, so that an agent's sum does not count in addition to its parts. Evaluators do not count.
func (t *Trace) Spent(yield func(*Span) bool) {
	tells := make([]bool, len(t.Spans)) // a span within it has usage
	for i := range t.Spans {
		s := &t.Spans[i]
		if t.of != nil && t.of.counted[s.ID] {
			tells[i] = true
		} else if s.Usage == nil && s.CostUSD == nil {
			continue
		}
		for up := t.parent[i]; up >= 0 && !tells[up]; up = t.parent[up] {
			tells[up] = true
		}
	}
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.Kind == Evaluator || s.Kind != Model && (tells[i] || s.Usage == nil && s.CostUSD == nil) {
			continue
		}
		if !yield(s) {
			return
		}
	}
}

// Usage is the tokens of the spans that count; nil: there are none.
func (t *Trace) Usage() (sum *chat.Usage) {
	for s := range t.Spent {
		if s.Usage == nil {
			continue
		}
		if sum == nil {
			sum = &chat.Usage{}
		}
		*sum = sum.Add(*s.Usage)
	}
	return sum
}

// Dropped is how many attributes the program left out of the spans of models and tools.
func (t *Trace) Dropped() (n int) {
	for i := range t.Spans {
		if s := &t.Spans[i]; s.Kind == Model || s.Kind == ToolRun {
			n += max(s.Dropped, 0)
		}
	}
	return n
}

// findCalls finds the tools that were called.
func (t *Trace) findCalls() {
	asked, duplicates := newUnmatchedCalls(t), t.reportedTwice()
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.Kind != ToolRun || duplicates[i] {
			continue
		}
		for n, tool := range s.Tools {
			c := Call{Tool: tool, Start: s.Start, Failure: s.Failure, Span: i, Ran: true}
			if c.Name = cmp.Or(c.Name, "unnamed"); n == 0 && t.timed[i] {
				c.Took = s.End.Sub(s.Start)
			}
			if id := asked.take(&c.Tool); c.ID == "" {
				c.ID = id
			}
			t.calls = append(t.calls, c)
		}
	}
	t.calls = append(t.calls, asked.left()...)
	sortby.Func(t.calls, func(x, y Call) int { return x.Span - y.Span })
}
