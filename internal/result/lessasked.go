package result

import (
	"fmt"
	"math"
	"strconv"

	"github.com/arena-evals/arena/internal/baseline"
)

// demand is what a group must show: a pass rate for a gate, or a share of a number of trials for each check.
type demand struct {
	rate, tolerance, confidence float64 // of a gate; rate 0: a count
	trials                      int     // of a count
	threshold                   float64 // of a count: the highest share
	undecided                   bool    // a gate may be undecided
}

// demand is the demand of the group.
func (t *Tally) demand() demand {
	g := t.Gate
	switch {
	case g == nil:
		return demand{trials: 1, threshold: 1}
	case g.Rule == RuleGate:
		return demand{rate: g.PassRate, tolerance: g.Tolerance, confidence: g.Confidence, undecided: g.AllowUndecided}
	case t.threshold == 0: // without checks there is no demand
		return demand{trials: g.Max, threshold: 1}
	}
	return demand{trials: g.Max, threshold: t.threshold}
}

// LessThan says what the group demands less than in another run; "": nothing.
func (t *Tally) LessThan(was *Tally) string { return t.demand().lessThan(was.demand()) }

// lessThanIn says what the group demands less than in a baseline, which does not record the shares of a count.
func (t *Tally) lessThanIn(was *baseline.Group) string {
	rule := was.Rule
	if rule == nil || rule.PassRate == 0 {
		return ""
	}
	return t.demand().lessThan(demand{
		rate: rule.PassRate, tolerance: rule.Tolerance, confidence: rule.Confidence, undecided: rule.AllowUndecided,
	})
}

// lessThan compares the demands of two runs. A gate and a count are equally strict if the count passes an agent at the
// limit of the gate no more often.
func (d demand) lessThan(was demand) string {
	switch {
	case was.rate == 0 && d.rate == 0: // the threshold is part of the checks, and fewer trials are reported elsewhere
		return ""
	case was.rate == 0:
		if low := d.rate - d.tolerance; was.passes(low) < (1-d.confidence)*(1-rateEpsilon) {
			return "asked " + was.text() + ", now " + d.text()
		}
		return ""
	case d.rate == 0:
		if low := was.rate - was.tolerance; d.passes(low) > (1-was.confidence)*(1+rateEpsilon) {
			return "asked " + was.text() + ", now " + d.text()
		}
		return ""
	case d.rate < was.rate-rateEpsilon, d.rate-d.tolerance < was.rate-was.tolerance-rateEpsilon:
		return "asked " + was.text() + ", now " + d.text()
	case d.confidence < was.confidence-rateEpsilon:
		return fmt.Sprintf("asked with %s confidence, now %s", percentOf(was.confidence), percentOf(d.confidence))
	case d.undecided && !was.undecided:
		return "had to be decided, now may be undecided"
	}
	return ""
}

// rateEpsilon is the rounding error up to which two shares are equal.
const rateEpsilon = 1e-9

// passes is the probability that an agent with this rate passes the count.
func (d demand) passes(rate float64) (sum float64) {
	least := int(math.Ceil(d.threshold*float64(d.trials) - rateEpsilon))
	if rate <= 0 || rate >= 1 {
		return max(min(math.Ceil(rate), 1), 0)
	}
	all, _ := math.Lgamma(float64(d.trials + 1))
	for k := least; k <= d.trials; k++ {
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(d.trials - k + 1))
		sum += math.Exp(all - a - b + float64(k)*math.Log(rate) + float64(d.trials-k)*math.Log(1-rate))
	}
	return sum
}

func (d demand) text() string {
	switch {
	case d.rate > 0 && d.tolerance > 0:
		return percentOf(d.rate) + " with a tolerance of " + percentOf(d.tolerance)
	case d.rate > 0:
		return percentOf(d.rate)
	case d.trials == 1:
		return "one trial that passes"
	case d.threshold < 1:
		return fmt.Sprintf("%s of %d trials", percentOf(d.threshold), d.trials)
	}
	return fmt.Sprintf("all of %d trials", d.trials)
}

func percentOf(x float64) string { return strconv.FormatFloat(tidy(100*x), 'g', 6, 64) + "%" }
