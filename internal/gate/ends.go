package gate

import (
	"cmp"
	"slices"
	"sync"

	"github.com/arena-evals/arena/internal/sortby"
)

// End is a possible end of trials without broken ones.
type End struct {
	N, Passes int
	Verdict   Verdict
	paths     wide // the number of orders of passes and failures that end here
}

// Stopping is a stopping rule with all its ends. It is immutable, and safe for concurrent use.
type Stopping struct {
	max     int
	verdict func(n, passes int) Verdict
	all     []End
	rates   func() []float64 // their estimates
	at      map[[2]int]int   // N and Passes: index
}

// Fixed is the rule of a number of trials that was fixed before.
func Fixed(trials int) *Stopping {
	return stopping(trials, func(n, _ int) Verdict {
		if n < trials {
			return Open
		}
		return Undecided
	})
}

// Curtailed is the rule of a count that ends as soon as its outcome is certain.
func Curtailed(trials int, threshold float64) *Stopping {
	return stopping(trials, func(n, passes int) Verdict { return Certain(passes, n-passes, trials-n, threshold) })
}

// Stopping is the rule of the gate.
func (g *Gate) Stopping() *Stopping { return g.stops() }

// stopping finds the ends of a rule that says when trials are over; after max of them they are.
func stopping(max int, verdict func(n, passes int) Verdict) *Stopping {
	e := &Stopping{max: max, verdict: verdict, at: map[[2]int]int{}}
	e.walk(0, 0, func(n, passes int, v Verdict, paths wide) {
		e.all = append(e.all, End{N: n, Passes: passes, Verdict: v, paths: paths})
	})
	sortby.Func(e.all, func(a, b End) int {
		return cmp.Or(a.against(b), cmp.Compare(a.N, b.N), cmp.Compare(a.Passes, b.Passes))
	})
	for i, end := range e.all {
		e.at[[2]int{end.N, end.Passes}] = i
	}
	e.rates = sync.OnceValue(e.estimates)
	return e
}

// Ends returns all ends, the strongest evidence against the rate first: failed ones, early before late; undecided ones
// by their share of passes; passed ones, late before early. Ends of one look with one verdict are equal, and so are
// undecided ones with one share.
func (e *Stopping) Ends() []End { return slices.Clone(e.all) }

// against is below 0 when end a speaks more against the rate than b, and 0 when both say the same.
func (a End) against(b End) int {
	class := func(v Verdict) int { return slices.Index([]Verdict{Failed, Undecided, Passed}, v) }
	if by := cmp.Compare(class(a.Verdict), class(b.Verdict)); by != 0 {
		return by
	}
	switch a.Verdict {
	case Failed:
		return cmp.Compare(a.N, b.N)
	case Passed:
		return cmp.Compare(b.N, a.N)
	case Open, Undecided:
	}
	return cmp.Compare(a.Passes*b.N, b.Passes*a.N)
}

// walk counts the paths from a state that is open to every end behind it.
func (e *Stopping) walk(passes, fails int, end func(n, passes int, v Verdict, paths wide)) {
	now, next := make([]wide, e.max+2), make([]wide, e.max+2)
	now[passes] = one
	low, high := passes, passes // of the states that are open
	for n := passes + fails + 1; n <= e.max && low <= high; n++ {
		clear(next)
		for s := low; s <= high; s++ {
			next[s] = next[s].plus(now[s])
			next[s+1] = next[s+1].plus(now[s])
		}
		from, to := low, high+1
		low, high = e.max+1, -1
		for s := from; s <= to; s++ {
			if next[s].m == 0 {
				continue
			}
			if v := e.verdict(n, s); v != Open {
				end(n, s, v, next[s])
				next[s] = wide{}
				continue
			}
			low, high = min(low, s), s
		}
		now, next = next, now
	}
}

// Chances are the probabilities of the ends, in the order of Ends, at a pass rate from 0 to 1.
func (e *Stopping) Chances(rate float64) []float64 {
	pass, fail := powers(rate, e.max), powers(1-rate, e.max)
	out := make([]float64, len(e.all))
	for i, end := range e.all {
		out[i] = end.paths.times(pass[end.Passes]).times(fail[end.N-end.Passes]).float()
	}
	return out
}

// Estimates are, in the order of Ends, the rates that the ends speak for: on average the true one. Gate.Estimate says
// how.
func (e *Stopping) Estimates() []float64 { return slices.Clone(e.rates()) }

func (e *Stopping) estimates() []float64 {
	out := make([]float64, len(e.all))
	for i, paths := range e.begin(1, 0) {
		out[i] = paths.over(e.all[i].paths)
	}
	return out
}

// Variance is the variance of the estimate at a true rate.
func (e *Stopping) Variance(rate float64) (sum float64) {
	estimates := e.rates()
	for i, p := range e.Chances(rate) {
		off := estimates[i] - rate
		sum += float64(p * float64(off*off))
	}
	return sum
}

// begin counts the paths to each end that begin with so many passes or so many failures.
func (e *Stopping) begin(passes, fails int) []wide {
	out := make([]wide, len(e.all))
	if i, over := e.at[[2]int{passes + fails, passes}]; over { // the only path ends there
		out[i] = one
		return out
	}
	e.walk(passes, fails, func(n, passes int, _ Verdict, paths wide) {
		out[e.at[[2]int{n, passes}]] = paths
	})
	return out
}
