package gate

import (
	"cmp"
	"slices"
)

// End is a way in which a gate ends of which no trial broke.
type End struct {
	N, Passes int
	Verdict   Verdict
	paths     wide // the number of orders of passes and failures that end here
}

// ends are all ends of a gate, the worst first.
type ends struct {
	all []End
	at  map[[2]int]int // N and Passes: index
}

// Ends returns all ends of the gate in which no trial broke, from those that speak most against the rate to those that
// speak most for it: failed, the earlier the worse; undecided, by the share that passed; passed, the earlier the
// better. Those of one look with one verdict say the same, and so do undecided ones with the same share.
func (g *Gate) Ends() []End { return slices.Clone(g.ends().all) }

func findEnds(g *Gate) *ends {
	e := &ends{at: map[[2]int]int{}}
	g.walk(0, 0, func(n, passes int, v Verdict, paths wide) {
		e.all = append(e.all, End{N: n, Passes: passes, Verdict: v, paths: paths})
	})
	slices.SortFunc(e.all, func(a, b End) int {
		return cmp.Or(a.against(b), cmp.Compare(a.N, b.N), cmp.Compare(a.Passes, b.Passes))
	})
	for i, end := range e.all {
		e.at[[2]int{end.N, end.Passes}] = i
	}
	return e
}

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
func (g *Gate) walk(passes, fails int, end func(n, passes int, v Verdict, paths wide)) {
	from := passes + fails
	now, next := make([]wide, g.Max+2), make([]wide, g.Max+2)
	now[passes] = one
	low, high := passes, passes // of the states that are open
	for n := from + 1; n <= g.Max && low <= high; n++ {
		clear(next[low : high+2])
		for s := low; s <= high; s++ {
			next[s] = next[s].plus(now[s])
			next[s+1] = next[s+1].plus(now[s])
		}
		last := high + 1
		low, high = n+1, -1
		for s := range last + 1 {
			if next[s].m == 0 {
				continue
			}
			if v := g.At(Counts{Passed: s, Failed: n - s}); v != Open {
				end(n, s, v, next[s])
				next[s] = wide{}
				continue
			}
			low, high = min(low, s), s
		}
		now, next = next, now
		clear(next)
	}
}

// chances are how likely each end is at a rate.
func (e *ends) chances(rate float64, most int) []float64 {
	pass, fail := powers(rate, most), powers(1-rate, most)
	out := make([]float64, len(e.all))
	for i, end := range e.all {
		out[i] = end.paths.times(pass[end.Passes]).times(fail[end.N-end.Passes]).float()
	}
	return out
}

// Odds is how a gate ends, and after how many trials.
type Odds struct {
	Passed, Failed, Undecided float64 // from 0 to 1, 1 in sum
	Trials                    float64 // on average
	Most                      int     // the most trials that come up at all
}

// Odds is what the gate does to an agent that passes at a rate, from 0 to 1, and none of whose trials breaks. It is
// exact.
func (g *Gate) Odds(rate float64) (o Odds) {
	e := g.ends()
	for i, p := range e.chances(rate, g.Max) {
		end := e.all[i]
		switch end.Verdict {
		case Passed:
			o.Passed += p
		case Failed:
			o.Failed += p
		case Open, Undecided:
			o.Undecided += p
		}
		o.Trials += float64(p * float64(end.N))
		if p > 0 {
			o.Most = max(o.Most, end.N)
		}
	}
	return o
}
