// Package evidence says whether two runs of the same scenarios show that an agent became worse or better: whether more
// changed than chance changes between two runs of one agent.
//
// Package comparison lists what differs between two runs. This package says which differences are significant.
package evidence

import (
	"math"

	"github.com/arena-evals/arena/internal/gate"
)

// Sample are the trials of one scenario in one run, with their stopping rule.
type Sample struct {
	// Stopping is how the trials could end. Where they ended otherwise, by a signal or for lack of money, it is the
	// gate.Fixed of their number.
	Stopping *gate.Stopping
	// Fixed says that the number of trials was fixed before.
	Fixed  bool
	Counts gate.Counts
}

// passes are the trials that count as passed. Those that broke speak against the claim that is tested.
func (s Sample) passes(brokenPass bool) int {
	if brokenPass {
		return s.Counts.Passed + s.Counts.Broken
	}
	return s.Counts.Passed
}

// Pair is a scenario in both runs.
type Pair struct {
	Baseline, Candidate Sample
}

// turned is the pair with the sides changed: that the candidate is better is that the baseline is worse.
func (p Pair) turned() Pair { return Pair{p.Candidate, p.Baseline} }

// tie is the relative rounding error up to which numbers are equal.
const tie = 1e-9

// negligible is a probability too small to affect a p value, even if many are left out.
const negligible = 1e-15

// Worse is the p value of the claim that the candidate passes less often than the baseline: the highest probability,
// over all rates, that two samples of one rate differ as much. It is 1 if a side has no trials.
//
// It is the unconditional exact test of G. A. Barnard, "A new test for 2×2 tables", Nature 156 (1945), 177, over all
// pairs of ends of the two stopping rules, ordered by the signed logarithm of the likelihood ratio; the maximum is over
// the rates 0.005, 0.01 … 0.995.
func Worse(p Pair) float64 {
	b, c := p.Baseline.Counts.N(), p.Candidate.Counts.N()
	if b == 0 || c == 0 {
		return 1
	}
	seen := distance(p.Baseline.passes(false), b, p.Candidate.passes(true), c)
	if seen <= 0 {
		return 1
	}
	baseline, candidate := p.Baseline.Stopping.Ends(), p.Candidate.Stopping.Ends()
	beyond := make([][]int32, len(baseline)) // for each end of the baseline the ends that differ as much from it
	for i, e := range baseline {
		for j, f := range candidate {
			if distance(e.Passes, e.N, f.Passes, f.N) >= seen*(1-tie) {
				beyond[i] = append(beyond[i], int32(j))
			}
		}
	}
	greatest := 0.0
	for i := 1; i < 200; i++ {
		rate, sum := float64(i)/200, 0.0
		of := p.Candidate.Stopping.Chances(rate)
		for i, chance := range p.Baseline.Stopping.Chances(rate) {
			if chance < negligible {
				continue
			}
			part := 0.0
			for _, j := range beyond[i] {
				part += of[j]
			}
			sum += chance * part
		}
		greatest = max(greatest, sum)
	}
	return min(greatest, 1)
}

// distance is twice the logarithm of the likelihood ratio between two rates and one, with a minus if the second sample
// has the greater share of passes.
func distance(passesA, a, passesB, b int) float64 {
	d := 2 * (likelihood(passesA, a) + likelihood(passesB, b) - likelihood(passesA+passesB, a+b))
	if passesA*b < passesB*a {
		return -d
	}
	return max(d, 0)
}

// likelihood is the logarithm of the greatest likelihood of so many passes.
func likelihood(passes, n int) (sum float64) {
	if passes > 0 {
		sum += float64(passes) * math.Log(float64(passes)/float64(n))
	}
	if passes < n {
		sum += float64(n-passes) * math.Log(float64(n-passes)/float64(n))
	}
	return sum
}
