package gate

import "math"

// Estimate is the rate that the end of a gate speaks for, without the error that stopping early makes: the share of the
// paths to this end that begin with a pass. On average over the ends it is the true rate, whatever that is (M. A.
// Girshick, F. Mosteller and L. J. Savage, "Unbiased estimates for certain binomial sampling problems", Annals of
// Mathematical Statistics 17 (1946), 13-23). Where the gate had not planned to end, or trials broke, it is the share
// of the trials that passed; NaN without trials.
func (g *Gate) Estimate(c Counts) float64 {
	e := g.stops()
	if i, planned := e.at[[2]int{c.N(), c.Passed}]; planned && c.Broken == 0 {
		return e.rates()[i]
	}
	return float64(c.Passed) / float64(c.N())
}

// Variance is the variance of the estimate, for a guess of the true rate that is never 0 or 1. At an unplanned end, or
// with broken trials, the number of trials counts as fixed. It is 0 without trials.
func (g *Gate) Variance(c Counts) float64 {
	n := c.N()
	if n == 0 {
		return 0
	}
	rate := (float64(c.Passed) + 0.5) / float64(n+1)
	e := g.stops()
	if _, planned := e.at[[2]int{n, c.Passed}]; !planned || c.Broken > 0 {
		return float64(rate*(1-rate)) / float64(n)
	}
	return recall(&g.variances, c, func() float64 { return e.Variance(rate) })
}

// AllOf is an unbiased estimate of the probability that all of k trials pass ("pass^k"). It returns false if there is
// none: for k above Min, an unplanned end, or broken trials.
func (g *Gate) AllOf(k int, c Counts) (float64, bool) { return g.share(c, k, 0) }

// AnyOf is the chance that at least one of k trials passes ("pass@k"), under the conditions of AllOf.
func (g *Gate) AnyOf(k int, c Counts) (float64, bool) {
	none, ok := g.share(c, 0, k)
	return 1 - none, ok
}

// share is the share of the paths to an end that begin with so many passes, or so many failures.
func (g *Gate) share(c Counts, passes, fails int) (float64, bool) {
	e := g.stops()
	i, planned := e.at[[2]int{c.N(), c.Passed}]
	if k := passes + fails; !planned || c.Broken > 0 || k < 1 || k > max(g.Min, 1) {
		return 0, false
	}
	return e.begin(passes, fails)[i].over(e.all[i].paths), true
}

// AllOf is the chance that all of k trials pass ("pass^k"), without error on average, from n trials whose number was
// fixed: the share of the choices of k of them that all passed (S. Yao and others, "τ-bench", arXiv:2406.12045). It is
// false for k below 1 or above n.
func AllOf(k, n, passed int) (float64, bool) {
	if k < 1 || k > n {
		return 0, false
	}
	share := 1.0
	for i := range k {
		share *= float64(max(passed-i, 0)) / float64(n-i)
	}
	return share, true
}

// AnyOf is the chance that at least one of k trials passes ("pass@k"; M. Chen and others, "Evaluating large language
// models trained on code", arXiv:2107.03374), under the conditions of AllOf.
func AnyOf(k, n, passed int) (float64, bool) {
	none, ok := AllOf(k, n, n-passed)
	return 1 - none, ok
}

// About estimates how many trials would decide: the number that separates the present rate from the line in eight or
// nine of ten runs. It returns false if more than 2,000 trials would be needed. It uses the normal approximation, for a
// test of 1% on one side with a power of 80%.
func (g *Gate) About(c Counts) (int, bool) {
	line := g.Lower()
	rate := float64(c.Passed) / float64(c.N())
	if g.Tolerance > 0 && rate < float64((g.Lower()+g.Upper())/2) {
		line = g.Upper()
	}
	off := rate - line
	if !(math.Abs(off) > guard) {
		return 0, false
	}
	root := float64(2.3*math.Sqrt(line*(1-line))) + float64(0.84*math.Sqrt(rate*(1-rate)))
	n := math.Ceil(float64(root*root) / float64(off*off))
	return int(min(n, 2001)), n <= 2000
}
