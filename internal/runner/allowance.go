package runner

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/result"
)

// stepSize is how many trials a limited run chooses at once. It is a constant: the choice must not depend on the number
// of jobs.
const stepSize = 32

// allowance chooses the trials of a run with a limit of trials or money. Trials of groups that run completely come
// first, in the order of the plan. Then come the groups that may end early, in steps of stepSize trials. In a step a
// group gets as many trials as its verdict needs at least; groups with the best chance of a verdict for each trial, or
// each dollar, come first. The choice depends only on the outcomes of earlier steps: it is the same at any number of
// jobs, and when the run is resumed. The queue owns it and its lock guards it.
type allowance struct {
	limit int     // of trials; 0: none
	left  int     // trials that may still run
	price pricing // nil: only the number of trials is limited
	step  []job   // trials that are chosen and not handed out yet
	ended bool    // no further trial runs
}

// pricing is the expected cost of a trial of a group, in US dollars; 0: not known.
type pricing func(g *openGroup) float64

// job is a trial to run.
type job struct {
	index int
	of    *openGroup // nil: all trials of its group are run
	spent bool       // it is not run, since the limit is reached
}

// newAllowance returns nil when the run has no limit, or a limit of money alone and no group that may end early.
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

// take counts a trial. It returns false when the limit is reached.
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

// limited hands out a trial of a limited run. It returns false when there is none now. The queue must be locked.
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

// nextStep chooses the trials of the next step. No trial runs meanwhile.
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
		if q.rank(g) > first { // groups of a lower rank get the rest first
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
	for _, k := range known { // their outcomes count like those of the other trials of the step
		q.fold(k)
	}
	if len(a.step)+len(known) == 0 {
		q.spend()
	}
}

// fold takes the outcome of a kept trial.
func (q *queue) fold(k job) {
	if o := q.plan.seen[k.index]; o != nil {
		k.of.progress.Take(o)
	}
	q.leave(k.of)
}

// spend ends a limited run. The next trial of each open group reports that it was not run.
func (q *queue) spend() {
	q.allowance.ended = true
	for _, g := range slices.Clone(q.open) {
		for q.kept(g.first + g.started) { // these trials are finished already
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

// byPromise are the open groups by rank, and within a rank by promise, the highest first.
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

// rank orders the groups that may end early: counts, then gates, then scenarios in quarantine, which decide nothing. A
// group runs only when no group of a lower rank is open.
func (q *queue) rank(g *openGroup) int {
	switch {
	case !q.opts.decides(g.span.Scenario):
		return 2
	case g.span.gate.Rule == result.RuleCount:
		return 0
	}
	return 1
}

// promise is the chance of a verdict for each trial that it takes, or for each dollar.
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

// expectedUSD is the average cost of the trials of the group so far, else an estimate by the lengths of its texts.
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

// trialsError says that a trial is not run because the limit of trials is reached.
type trialsError struct{ limit int }

func (e trialsError) Error() string {
	return fmt.Sprintf("--max-trials %d: as many trials are run", e.limit)
}
