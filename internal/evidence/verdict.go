package evidence

import "math"

// Findings are the findings of a comparison of two runs.
type Findings struct {
	// Regressed and Improved are claims about the suite. Each is wrong in at most 1 - confidence of all pairs of equal
	// runs. Both hold if some scenarios fell and others rose.
	Regressed, Improved bool
	// Worse and Better are the scenarios that speak for it by themselves, as indexes into the pairs.
	Worse, Better []int
	// SuiteWorse and SuiteBetter say that the mean of the scenarios does.
	SuiteWorse, SuiteBetter bool
	// Drop is the fall of the mean rate that would be detected in four of five runs; 1: none would.
	Drop float64
}

// Compare compares two runs. It tests each claim in two ways, at half of 1 - confidence each: for single scenarios with
// failures, and for the mean of all.
func Compare(pairs []Pair, confidence float64, seed uint64) Findings {
	half := (1 - confidence) / 2
	turned := make([]Pair, len(pairs))
	for i, p := range pairs {
		turned[i] = p.turned()
	}
	f := Findings{
		Worse: single(pairs, half), SuiteWorse: SuiteWorse(pairs, seed) <= half*(1+tie),
		Better: single(turned, half), SuiteBetter: SuiteWorse(turned, seed) <= half*(1+tie),
		Drop: drop(pairs, half),
	}
	f.Regressed = len(f.Worse) > 0 || f.SuiteWorse
	f.Improved = len(f.Better) > 0 || f.SuiteBetter
	return f
}

// single picks the scenarios whose candidate is worse.
func single(pairs []Pair, share float64) (found []int) {
	var at []int
	var p []float64
	for i, pair := range pairs {
		b, c := pair.Baseline.Counts, pair.Candidate.Counts
		if b.N() > 0 && c.N() > 0 && (b.Passed < b.N() || c.Passed < c.N()) {
			at, p = append(at, i), append(p, Worse(pair))
		}
	}
	for i, is := range Discoveries(p, share) {
		if is {
			found = append(found, at[i])
		}
	}
	return found
}

// drop is the fall that the test of the mean detects with a power of 80%, by the normal approximation, with each
// scenario at the rate (s+½)/(n+1) of both runs.
func drop(pairs []Pair, alpha float64) float64 {
	variance, n := 0.0, 0
	for _, p := range pairs {
		b, c := p.Baseline.Counts, p.Candidate.Counts
		if b.N() == 0 || c.N() == 0 {
			continue
		}
		n++
		rate := (float64(b.Passed+c.Passed) + 0.5) / float64(b.N()+c.N()+1)
		variance += p.Baseline.Stopping.Variance(rate) + p.Candidate.Stopping.Variance(rate)
	}
	if n == 0 {
		return 1
	}
	const four = 0.8416212335729143 // of five runs: the quantile of the normal distribution
	return min((quantile(1-alpha)+four)*math.Sqrt(variance)/float64(n), 1)
}

// quantile is the quantile of the normal distribution.
func quantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
