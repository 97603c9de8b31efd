package agreement

import "math"

// Interval is a range from Low to High in which a true value lies: of all such intervals at least 95% hold it.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// missed is how often the true value lies below Low, and how often above High, at most.
const missed = 0.025

// AgreementInterval is that of Agreement; nil without decisions. It is the exact one of C. J. Clopper and E. S.
// Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26 (1934),
// 404–413: its ends are the rates at which so many agreements, or so few, come up in one of 40 samples.
func (t Table) AgreementInterval() *Interval { return RateInterval(t.Agreements(), t.N()) }

// RateInterval is the exact interval of Clopper and Pearson for the rate of which k of n came up; nil where n is 0. The
// n must be independent of each other, and k at most n.
func RateInterval(k, n int) *Interval {
	if n <= 0 {
		return nil
	}
	i := rates(k, n)
	return &i
}

// KappaInterval is that of Kappa; nil where Kappa is. As Cohen (1960) does for his standard error, it takes the
// agreement of chance as given, and so turns the ends of AgreementInterval into kappas. That of J. L. Fleiss, J. Cohen
// and B. S. Everitt (Psychological Bulletin 72, 1969, 323–327) is for large samples: with 20 decisions it holds the
// true kappa in as little as half of the cases, and of a judge who always agrees it says that nothing is uncertain.
func (t Table) KappaInterval() *Interval {
	if t.Kappa() == nil {
		return nil
	}
	n := float64(t.N())
	judgePasses := float64(t.TruePass + t.FalsePass)
	chance := (float64(t.Passes())*judgePasses + float64(t.Fails())*(n-judgePasses)) / (n * n)
	of := func(agreement float64) float64 { return max((agreement-chance)/(1-chance), -1) }
	i := rates(t.Agreements(), t.N())
	return &Interval{of(i.Low), of(i.High)}
}

// rates are the rates at which k of n are not too many and not too few.
func rates(k, n int) Interval {
	i := Interval{0, 1}
	if k > 0 {
		i.Low = solve(func(p float64) bool { return 1-below(k, n, p) < missed })
	}
	if k < n {
		i.High = solve(func(p float64) bool { return below(k+1, n, p) > missed })
	}
	return i
}

// solve finds where a condition that holds for low rates ends to hold.
func solve(holds func(p float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if p := (low + high) / 2; holds(p) {
			low = p
		} else {
			high = p
		}
	}
	return low
}

// below is how likely fewer than k of n come up at a rate between 0 and 1. Of the two ways to count, below k and from
// it, it takes the one whose terms only get smaller: the sum ends where they no longer count.
func below(k, n int, p float64) float64 {
	odds := math.Log(p) - math.Log1p(-p)
	if float64(k) <= float64(n)*p {
		return tail(k-1, n, odds, p, -1)
	}
	return 1 - tail(k, n, odds, p, 1)
}

// tail is how likely from come up, or any number beyond it on one side.
func tail(from, n int, odds, p float64, step int) (sum float64) {
	if from < 0 || from > n {
		return 0
	}
	one := choose(n, from) + float64(from)*math.Log(p) + float64(n-from)*math.Log1p(-p) // the logarithm of exactly i
	for i := from; i >= 0 && i <= n; i += step {
		term := math.Exp(one)
		if sum += term; term <= sum*1e-17 {
			break
		}
		if step > 0 {
			one += math.Log(float64(n-i)/float64(i+1)) + odds
		} else {
			one += math.Log(float64(i)/float64(n-i+1)) - odds
		}
	}
	return min(sum, 1)
}

// choose is the logarithm of the number of ways to take k of n.
func choose(n, k int) float64 {
	of := func(n int) float64 { x, _ := math.Lgamma(float64(n + 1)); return x }
	return of(n) - of(k) - of(n-k)
}
