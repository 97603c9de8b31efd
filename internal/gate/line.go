package gate

import "sort"

// guard is the relative rounding error up to which numbers are equal.
const guard = 1e-9

// nothing is a chance that no sum here can feel. What is less likely is left out.
const nothing = 1e-40

// steps is how often the range of a level is halved.
const steps = 50

// line is, for n trials at index n-1, the fewest successes at which the gate concludes that the success rate is above
// q: the least x with P(X ≥ x) ≤ level; n+1: no look, or no such x.
func line(r Rule, q float64) []int {
	looks := tails(r, q)
	level := level(looks, r, q)
	line := make([]int, r.Max)
	for n := 1; n <= r.Max; n++ {
		line[n-1] = n + 1
		if r.Look(n) {
			line[n-1] = min(line[n-1], looks[n].least(level))
		}
	}
	return line
}

// level is the greatest, up to alpha, at which all looks together are wrong in at most alpha of all runs.
func level(looks []tail, r Rule, q float64) float64 {
	alpha := r.Alpha()
	if crossing(looks, r, q, alpha) <= alpha*(1+guard) {
		return alpha
	}
	low, high := 0.0, alpha
	for range steps {
		if mid := (low + high) / 2; crossing(looks, r, q, mid) <= alpha*(1+guard) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// crossing is the probability that at least one look is significant at a level, at success rate q.
func crossing(looks []tail, r Rule, q, level float64) (crossed float64) {
	d := point(r.Max)
	for n := 1; n <= r.Max; n++ {
		d.toss(q)
		if r.Look(n) {
			crossed += d.cut(looks[n].least(level))
		}
	}
	return crossed
}

// tail has the chances of so many successes or more: of from at index 0, from+1 at index 1, and so on. Fewer are more
// likely than alpha.
type tail struct {
	from int
	p    []float64
}

// least is the least number of successes whose tail is not above the level. It takes what differs by rounding only as
// equal.
func (t *tail) least(level float64) int {
	return t.from + sort.Search(len(t.p), func(i int) bool { return t.p[i] <= level*(1+guard) })
}

// tails are the upper tails of the looks of a rule, by number of trials, at rate q.
func tails(r Rule, q float64) []tail {
	all := make([]tail, r.Max+1)
	d := point(r.Max)
	for n := 1; n <= r.Max; n++ {
		d.toss(q)
		if r.Look(n) {
			all[n] = d.tail(r.Alpha() * (1 + guard))
		}
	}
	return all
}

// distribution has the chances of numbers of successes: p[x] from low to high, and nothing elsewhere.
type distribution struct {
	p         []float64
	low, high int
}

// point is the distribution before any trial, with room for so many.
func point(trials int) *distribution {
	d := &distribution{p: make([]float64, trials+2)}
	d.p[0] = 1
	return d
}

// toss adds a trial that succeeds at rate q.
func (d *distribution) toss(q float64) {
	if d.low > d.high {
		return
	}
	d.high++
	d.p[d.high] = 0
	for x := d.high; x > d.low; x-- {
		d.p[x] = float64(d.p[x]*(1-q)) + float64(d.p[x-1]*q)
	}
	d.p[d.low] = float64(d.p[d.low] * (1 - q))
	for d.low <= d.high && d.p[d.low] < nothing {
		d.low++
	}
	for d.high >= d.low && d.p[d.high] < nothing {
		d.high--
	}
}

// cut takes out what has x successes or more, and says how likely that was.
func (d *distribution) cut(x int) (sum float64) {
	for ; d.high >= max(x, d.low); d.high-- {
		sum += d.p[d.high]
	}
	return sum
}

// tail sums the probabilities from above, up to a bound.
func (d *distribution) tail(bound float64) tail {
	x, sum := d.high+1, 0.0
	for x > d.low && sum+d.p[x-1] <= bound {
		x--
		sum += d.p[x]
	}
	t := tail{from: x, p: make([]float64, d.high+1-x)}
	sum = 0
	for y := d.high; y >= x; y-- {
		sum += d.p[y]
		t.p[y-x] = sum
	}
	return t
}
