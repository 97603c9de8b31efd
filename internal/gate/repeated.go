package gate

import "sync"

// Repeated is the error bar of the first trials of at most most, wherever they ended: after a look, an interrupt, or at
// a budget. It is the interval of Clopper and Pearson at one level that holds for all numbers of trials at once, after
// C. Jennison and B. W. Turnbull, "Repeated confidence intervals for group sequential clinical trials", Controlled
// Clinical Trials 5 (1984), 33-45. Broken trials count as failures for the lower end, and as passes for the upper one.
func Repeated(c Counts, most int, confidence float64) Bar {
	n := c.N()
	if n == 0 {
		return Bar{0, 1, false}
	}
	return recall(&repeatedBars, barOf{c, max(most, n), confidence}, func() Bar {
		level := repeatedLevel(max(most, n), confidence)
		return Bar{Low: atLeast(c.Passed, n, level), High: atMost(c.Passed+c.Broken, n, level)}
	})
}

// repeatedBars and fixedBars cache bars: many groups have the same numbers.
var repeatedBars, fixedBars memo[barOf]

type barOf struct {
	Counts
	most       int
	confidence float64
}

// FixedBar is the error bar for a fixed number of trials, by C. J. Clopper and E. S. Pearson, "The use of confidence or
// fiducial limits illustrated in the case of the binomial", Biometrika 26 (1934), 404-413. Broken trials count as
// failures for the lower end, and as passes for the upper one.
func FixedBar(c Counts, confidence float64) Bar {
	n, level := c.N(), exact(1-confidence)
	if n == 0 {
		return Bar{0, 1, false}
	}
	return recall(&fixedBars, barOf{c, n, confidence}, func() Bar {
		return Bar{Low: atLeast(c.Passed, n, level), High: atMost(c.Passed+c.Broken, n, level), Exact: c.Broken == 0}
	})
}

// atLeast is the rate at which so many of n, or more, come up with a chance of level.
func atLeast(passed, n int, level float64) float64 {
	if passed == 0 {
		return 0
	}
	return solve(func(rate float64) bool { return orMore(passed, n, rate) < level })
}

// atMost is the rate at which so many of n, or fewer, do.
func atMost(passed, n int, level float64) float64 {
	if passed == n {
		return 1
	}
	return solve(func(rate float64) bool { return orMore(n-passed, n, 1-rate) > level })
}

// orMore is how likely x of n, or more, are at a rate.
func orMore(x, n int, rate float64) (sum float64) {
	hit, miss := powers(rate, n), powers(1-rate, n)
	ways, terms := one, make([]float64, 0, n-x+1)
	for y := n; y >= x; y-- { // of y = n there is one way, and of each y below it y+1 in n-y as many
		if y < n {
			ways = ways.times(toWide(float64(y+1) / float64(n-y)))
		}
		terms = append(terms, ways.times(hit[y]).times(miss[n-y]).float())
	}
	return add(terms)
}

// repeatedLevels caches levels, by number of trials and confidence.
var repeatedLevels sync.Map

type mostAt struct {
	most       int
	confidence float64
}

// repeatedLevel is the level at which a test after each trial is wrong in at most alpha of all runs, whatever the rate
// is: the least of those of the rates 0.005, 0.01 … 0.995, and 3% off for the rates between them.
func repeatedLevel(most int, confidence float64) float64 {
	if most > MostTrials/5 { // exact levels would take long; the level divided by the number of tests is always valid
		return exact(1-confidence) / float64(most)
	}
	found, _ := repeatedLevels.LoadOrStore(mostAt{most, confidence}, sync.OnceValue(func() float64 {
		r := Rule{Max: most, Min: 1, Block: 1, Confidence: confidence}
		least := r.Alpha()
		for i := 1; i < 200; i++ {
			rate := float64(i) / 200
			if looks := tails(r, rate); crossing(looks, r, rate, least) > r.Alpha()*(1+guard) {
				least = level(looks, r, rate)
			}
		}
		return 0.97 * least
	}))
	return found.(func() float64)()
}
