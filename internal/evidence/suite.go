package evidence

import (
	"math/rand/v2"
	"slices"
	"sort"
)

// draws is how many suites are drawn by chance.
const draws = 1999

// SuiteWorse is the p value of the claim that the mean pass rate of all scenarios fell. It is a multiple of 1/2000, and
// the same for the same seed.
//
// If all numbers of trials were fixed, it is a permutation test: the passes of a scenario are redistributed over the
// trials of both runs. With one trial on each side it is the test of McNemar. Otherwise the ends of both runs are drawn
// at one rate for each scenario, the pooled rate (s+½)/(n+1) (a parametric bootstrap: B. Efron and R. J. Tibshirani,
// "An Introduction to the Bootstrap", 1993).
func SuiteWorse(pairs []Pair, seed uint64) float64 {
	var all []stratum
	seen := 0.0
	fixed := !slices.ContainsFunc(pairs, func(p Pair) bool { return !p.Baseline.Fixed || !p.Candidate.Fixed })
	for _, p := range pairs {
		if p.Baseline.Counts.N() == 0 || p.Candidate.Counts.N() == 0 {
			continue
		}
		s, fell := drawn(p), p.fell()
		if fixed {
			s = dealt(p)
		}
		all = append(all, s)
		seen += fell
	}
	if seen <= 0 {
		return 1
	}
	random := rand.NewPCG(seed, 0)
	as := 0
	for range draws {
		sum := 0.0
		for _, s := range all {
			sum += s(random)
		}
		if sum >= seen*(1-tie) {
			as++
		}
	}
	return float64(as+1) / (draws + 1)
}

// fell is by how much the rate that the trials speak for is lower than before. Trials that broke speak against that.
func (p Pair) fell() float64 {
	return p.Baseline.estimate(false) - p.Candidate.estimate(true)
}

// estimate is the rate that the trials speak for: at an end that the rule knows the one without error, else the share.
func (s Sample) estimate(brokenPass bool) float64 {
	passes, n := s.passes(brokenPass), s.Counts.N()
	if !s.Fixed {
		for i, e := range s.Stopping.Ends() {
			if e.N == n && e.Passes == passes {
				return s.Stopping.Estimates()[i]
			}
		}
	}
	return float64(passes) / float64(n)
}

// stratum draws by how much the rate of a scenario falls by chance alone.
type stratum func(*rand.PCG) float64

// dealt permutes the passes of both runs.
func dealt(p Pair) stratum {
	b, c := p.Baseline.Counts.N(), p.Candidate.Counts.N()
	passes := p.Baseline.passes(false) + p.Candidate.passes(true)
	return func(random *rand.PCG) float64 {
		left, toBaseline := passes, 0
		for n := b + c; n > c; n-- {
			if float64(n)*unit(random) < float64(left) {
				left--
				toBaseline++
			}
		}
		return float64(toBaseline)/float64(b) - float64(left)/float64(c)
	}
}

// drawn draws an end of either run at the rate of both.
func drawn(p Pair) stratum {
	passes := p.Baseline.passes(false) + p.Candidate.passes(true)
	rate := (float64(passes) + 0.5) / float64(p.Baseline.Counts.N()+p.Candidate.Counts.N()+1)
	b, c := p.Baseline.draw(rate), p.Candidate.draw(rate)
	return func(random *rand.PCG) float64 { return b(random) - c(random) }
}

// draw draws the estimate of a run at a rate.
func (s Sample) draw(rate float64) stratum {
	estimates, upTo := s.Stopping.Estimates(), s.Stopping.Chances(rate)
	for i := 1; i < len(upTo); i++ {
		upTo[i] += upTo[i-1]
	}
	return func(random *rand.PCG) float64 {
		i := sort.SearchFloat64s(upTo, unit(random))
		return estimates[min(i, len(estimates)-1)]
	}
}

// unit is a number from 0 to below 1.
func unit(random *rand.PCG) float64 { return float64(random.Uint64()>>11) / (1 << 53) }
