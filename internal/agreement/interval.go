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
func (t Table) AgreementInterval() *Interval {
	if t.N() == 0 {
		return nil
	}
	i := rates(t.Agreements(), t.N())
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

// below is how likely fewer than k of n come up at a rate between 0 and 1.
func below(k, n int, p float64) (sum float64) {
	odds, one := math.Log(p)-math.Log1p(-p), float64(n)*math.Log1p(-p) // the logarithm of how likely exactly i are
	for i := range k {
		sum += math.Exp(one)
		one += math.Log(float64(n-i)/float64(i+1)) + odds
	}
	return min(sum, 1)
}
