package runner

import (
	"slices"
	"sync"

	"github.com/arena-evals/arena/internal/result"
)

// queue hands out the trials of a plan in order. Of a group that may end early, it hands out only trials that the
// verdict needs whatever the outcomes of running ones. So no trial is wasted, and the same trials run at any number of
// jobs. It is safe for concurrent use.
type queue struct {
	plan *Plan
	opts *Options

	mu      sync.Mutex
	changed *sync.Cond
	span    int // position in the plan: the trial of a span
	at      int
	open    []*openGroup // in the order of the plan
	running int          // trials of groups that may end early
	full    bool         // only events of trials that do not start are still wanted

	allowance *allowance // nil: trials run as long as there are any
}

// openGroup is a group whose trials may end early, while they run.
type openGroup struct {
	span     *span
	first    int // plan index of number 1
	progress *result.Progress
	started  int // the highest number that was handed out
	running  int
	closed   bool // no more of its trials start

	usd       float64 // what those cost whose price is known
	priced    int
	estimated *float64 // what one may cost; nil: not asked for yet
}

func newQueue(plan *Plan, opts *Options) *queue {
	q := &queue{plan: plan, opts: opts, allowance: newAllowance(plan, opts)}
	q.changed = sync.NewCond(&q.mu)
	return q
}

// next is the next trial to run. It waits while running trials decide whether more are needed. It returns false at the
// end.
func (q *queue) next() (job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.full {
		find := q.needed
		if q.allowance != nil {
			find = q.limited
		}
		if next, ok := find(); ok {
			return next, true
		}
		if q.running == 0 {
			return job{}, false
		}
		q.changed.Wait()
	}
	return job{}, false
}

// needed hands out a trial that is needed whatever the outcomes of the running ones. It returns false when there is
// none now. The queue must be locked.
func (q *queue) needed() (job, bool) {
	for {
		for _, g := range q.open {
			if i, ok := q.take(g, g.progress.Needed()); ok {
				return job{index: i, of: g}, true
			}
		}
		if index, ok := q.plain(); ok {
			return job{index: index}, true
		}
		if !q.openNext() {
			break
		}
	}
	if q.opts.Eager {
		for _, g := range q.open {
			if i, ok := q.take(g, g.span.gate.Max); ok {
				return job{index: i, of: g}, true
			}
		}
	}
	return job{}, false
}

// take hands out a trial of a group, up to a number.
func (q *queue) take(g *openGroup, upTo int) (index int, ok bool) {
	for !g.closed && !g.progress.Over() && g.started < upTo {
		g.started++
		i := g.first + g.started - 1
		if q.opts.Kept != nil && q.opts.Kept(i) {
			continue
		}
		g.running++
		q.running++
		return i, true
	}
	return 0, false
}

// plain is the next trial, if all trials of its group run.
func (q *queue) plain() (index int, ok bool) {
	for q.span < len(q.plan.spans) {
		s := &q.plan.spans[q.span]
		if q.at >= s.count {
			q.span, q.at = q.span+1, 0
			continue
		}
		if s.gate != nil {
			return 0, false
		}
		q.at++
		return s.Index + q.at - 1, true
	}
	return 0, false
}

// openNext opens the next group, which may end early.
func (q *queue) openNext() bool {
	if q.span >= len(q.plan.spans) {
		return false
	}
	s := &q.plan.spans[q.span]
	size := s.count
	if s.rows != nil && !s.wholeDataset {
		size = s.numbers()
	}
	g := &openGroup{span: s, first: s.Index + q.at}
	q.at += size
	if g.progress = q.plan.begun[g.first]; g.progress == nil || q.allowance != nil {
		g.progress = result.NewProgress(*s.gate) // a limited run adds kept trials step by step
	}
	if !g.progress.Over() {
		q.open = append(q.open, g)
	}
	return true
}

// done takes the outcome of a trial that next handed out. It returns whether that ended the trial's group, and with
// which status.
func (q *queue) done(g *openGroup, t *result.Trial) (ended bool, as result.Status) {
	if g == nil {
		return false, result.Unset
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.changed.Broadcast()
	q.running--
	g.running--
	over := g.progress.Over()
	g.progress.Add(t)
	g.paid(t)
	if t.CutShort() {
		g.closed = true
	}
	if ended = !over && g.progress.Over(); ended {
		as = g.progress.Verdict()
	}
	q.leave(g)
	return ended, as
}

// leave closes a group that needs no more trials.
func (q *queue) leave(g *openGroup) {
	if !g.closed && !g.progress.Over() {
		return
	}
	if i := slices.Index(q.open, g); i >= 0 {
		q.open = slices.Delete(slices.Clone(q.open), i, i+1)
	}
}

// stop hands out no more trials.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.full = true
	q.changed.Broadcast()
}

// Continue folds a trial that is kept into its group, where that may end early. It must be called before Run.
func (p *Plan) Continue(t *result.Trial) {
	first, spec := p.groupAt(t.Index)
	if spec == nil {
		return
	}
	if p.begun == nil {
		p.begun = map[int]*result.Progress{}
	}
	if p.begun[first] == nil {
		p.begun[first] = result.NewProgress(*spec)
	}
	if p.seen == nil {
		p.seen = map[int]*result.Observed{}
	}
	p.seen[t.Index] = result.Observe(t)
	p.begun[first].Take(p.seen[t.Index])
}

// groupAt is the group of the trial at an index, by the index of its first trial; nil: its trials do not end early.
func (p *Plan) groupAt(i int) (first int, spec *result.GateSpec) {
	if i >= p.Len() {
		return 0, nil
	}
	t := p.Trial(i)
	if t.gate == nil {
		return 0, nil
	}
	return i - (t.N - 1), t.gate
}
