package runner

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/result"
)

// stepSize is how many trials a limited run decides on at once. It is a constant, so that the same ones run however
// many run at once.
const stepSize = 32

// allowance spends the trials, or the money, of a limited run where a verdict is likeliest. Trials that are only
// counted come first, in the order of the plan. What is left goes, in steps, to the groups that may end early: each
// gets what its verdict needs whatever comes, those first of which a verdict is likeliest for each trial, or each
// dollar. Which trials are run follows from what came of those of the steps before alone: it is the same at any number
// of jobs, and when the run is resumed. It belongs to the queue.
type allowance struct {
	limit int     // of trials; 0: there is none
	left  int     // of them
	price pricing // what a trial of a group may cost; nil: trials are what is limited
	step  []job   // that are decided on, and not handed out yet
	ended bool    // nothing is left
}

// pricing is what a trial of a group is expected to cost; 0: nothing is known.
type pricing func(g *openGroup) float64

// job is a trial to run.
type job struct {
	index int
	of    *openGroup // nil: its group has all of its trials run
	spent bool       // it is not run: nothing is left of what may be
}

// newAllowance returns that of a run; nil: nothing of it is limited, or nothing may end early that money is spent on.
func newAllowance(plan *Plan, opts *Options) *allowance {
	gated := slices.ContainsFunc(plan.spans, func(s span) bool { return s.gate != nil })
	if opts.MaxTrials <= 0 && (opts.MaxCost <= 0 || !gated) {
		return nil
	}
	a := &allowance{limit: opts.MaxTrials, left: opts.MaxTrials}
	if opts.MaxCost > 0 {
		calls := CallParameters{Temperature: opts.Temperature, MaxTokens: opts.MaxTokens, Seed: opts.Seed}
		a.price = func(g *openGroup) float64 { return g.expectedUSD(plan, calls) }
	}
	return a
}

// take counts a trial. It is false where none is left.
func (a *allowance) take() bool {
	switch {
	case a.limit == 0:
		return true
	case a.left == 0:
		return false
	}
	a.left--
	return true
}

// limited hands out a trial of a limited run; the queue is locked. It is false where there is none now.
func (q *queue) limited() (job, bool) {
	a := q.allowance
	for {
		if index, ok := q.plain(); ok {
			return job{index: index, spent: !a.take()}, true
		}
		if q.openNext() {
			continue
		}
		if len(a.step) > 0 {
			next := a.step[0]
			a.step = a.step[1:]
			q.running++
			next.of.running++
			return next, true
		}
		if q.running > 0 || a.ended {
			return job{}, false
		}
		q.nextStep()
	}
}

// nextStep decides on the next trials. None of them runs then.
func (q *queue) nextStep() {
	a := q.allowance
	size := stepSize
	if a.limit > 0 {
		size = min(size, a.left)
	}
	var known []job
	first := -1
	for _, g := range q.byPromise() {
		if first < 0 {
			first = q.rank(g)
		}
		if q.rank(g) > first { // what is left goes to them
			break
		}
		for need := g.progress.Needed(); size > 0 && g.started < need; size-- {
			g.started++
			a.take()
			next := job{index: g.first + g.started - 1, of: g}
			if q.kept(next.index) {
				known = append(known, next)
			} else {
				a.step = append(a.step, next)
			}
		}
	}
	for _, k := range known { // what came of them counts like that of the others of the step
		q.fold(k)
	}
	if len(a.step)+len(known) == 0 {
		q.spend()
	}
}

// fold takes what came of a trial that is kept.
func (q *queue) fold(k job) {
	if o := q.plan.seen[k.index]; o != nil {
		k.of.progress.Take(o)
	}
	q.leave(k.of)
}

// spend ends a limited run: of each group that is open, the next trial says that it was not run.
func (q *queue) spend() {
	q.allowance.ended = true
	for _, g := range slices.Clone(q.open) {
		for q.kept(g.first + g.started) { // they are there already
			g.started++
			q.fold(job{index: g.first + g.started - 1, of: g})
		}
		if slices.Contains(q.open, g) && g.started < g.span.gate.Slots() {
			g.started++
			q.allowance.step = append(q.allowance.step, job{index: g.first + g.started - 1, of: g, spent: true})
		}
	}
}

func (q *queue) kept(index int) bool { return q.opts.Kept != nil && q.opts.Kept(index) }

// byPromise are the open groups by their rank, and those first of which a verdict is likeliest for what it takes.
func (q *queue) byPromise() []*openGroup {
	list := slices.Clone(q.open)
	promise := make(map[*openGroup]float64, len(list))
	for _, g := range list {
		promise[g] = q.allowance.promise(g)
	}
	slices.SortStableFunc(list, func(a, b *openGroup) int {
		if by := cmp.Compare(q.rank(a), q.rank(b)); by != 0 {
			return by
		}
		return cmp.Compare(promise[b], promise[a])
	})
	return list
}

// rank is the place of a group among those that may end early: counts, then gates, and last what decides nothing since
// its scenario is in quarantine. None of a rank runs while one before it is open.
func (q *queue) rank(g *openGroup) int {
	switch {
	case !q.opts.decides(g.span.Scenario):
		return 2
	case g.span.gate.Rule == result.RuleCount:
		return 0
	}
	return 1
}

// promise is how likely a verdict is for each trial that it takes, or each dollar.
func (a *allowance) promise(g *openGroup) float64 {
	verdict, trials := g.progress.Prospects()
	if trials == 0 {
		return 0
	}
	promise := verdict / trials
	if a.price != nil {
		if usd := a.price(g); usd > 0 {
			promise /= usd
		}
	}
	return promise
}

// expectedUSD is what a trial of the group cost so far on average, or else may cost by the lengths of its texts.
func (g *openGroup) expectedUSD(plan *Plan, calls CallParameters) float64 {
	if g.priced > 0 {
		return g.usd / float64(g.priced)
	}
	if g.estimated == nil {
		t := plan.Trial(g.first)
		usd, _ := costOf(plan.Estimate(&t, calls))
		g.estimated = &usd
	}
	return *g.estimated
}

// paid books what a trial of the group cost.
func (g *openGroup) paid(t *result.Trial) {
	if t.CostUSD == nil {
		return
	}
	g.usd, g.priced = g.usd+*t.CostUSD, g.priced+1
	if j := result.JudgesOf(t); j != nil && j.CostUSD != nil {
		g.usd += *j.CostUSD
	}
}

// trialsError is why a trial is not run for which nothing is left of the limit of trials.
type trialsError struct{ limit int }

func (e trialsError) Error() string {
	return fmt.Sprintf("--max-trials %d: as many trials are run", e.limit)
}
