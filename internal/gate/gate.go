// Package gate concludes from trials that pass or fail at random whether a rate is above a line: with as few trials as
// possible, and with known bounds on errors, whatever the rate and whenever the trials end.
//
// A gate looks after every turn of trials at one exact binomial test, at one level that is corrected for all the looks:
// repeated tests in the manner of P. Armitage, C. K. McPherson and B. C. Rowe, "Repeated significance tests on
// accumulating data", Journal of the Royal Statistical Society A 132 (1969), 235-244, and S. J. Pocock, "Group
// sequential methods in the design and analysis of clinical trials", Biometrika 64 (1977), 191-199, with the sums
// over all paths in place of their approximations.
//
// All numbers come from additions, multiplications and comparisons of float64 in a fixed order, so that they are the
// same on every machine.
package gate

import (
	"fmt"
	"math"
	"sync"
)

// Rule is a demand on a rate, with limits on the number of trials.
type Rule struct {
	PassRate   float64 // the line: a rate is good from here on
	Tolerance  float64 // rates down to PassRate - Tolerance may pass too
	Confidence float64 // each of the two claims is wrong in at most 1 - Confidence of all runs
	Max        int     // the most trials that count; a multiple of Block
	Min        int     // no verdict before that many; 1 or more
	Block      int     // looks are taken after every so many trials; 1 or more
}

// Lower is the rate that the trials of a passed gate lie above.
func (r Rule) Lower() float64 { return exact(r.PassRate - r.Tolerance) }

// Upper is the rate that the trials of a failed gate lie below.
func (r Rule) Upper() float64 { return r.PassRate }

// Alpha is how often either claim may be wrong.
func (r Rule) Alpha() float64 { return exact(1 - r.Confidence) }

// Look reports whether the gate may conclude after n trials.
func (r Rule) Look(n int) bool { return n >= r.Min && n <= r.Max && n%r.Block == 0 }

// check refuses what has no meaning. Whether anything can pass the gate is another question.
func (r Rule) check() error {
	switch {
	case !(r.Lower() > 0 && r.Tolerance >= 0 && r.PassRate < 1):
		return fmt.Errorf("pass rate %v with tolerance %v: both lines must be between 0 and 1", r.PassRate, r.Tolerance)
	case !(r.Confidence > 0.5 && r.Confidence < 1):
		return fmt.Errorf("confidence %v: must be above 0.5 and below 1", r.Confidence)
	case r.Block < 1 || r.Min < 1 || r.Max < r.Min:
		return fmt.Errorf("trials from %d to %d, in turns of %d: no such number", r.Min, r.Max, r.Block)
	case r.Max > MostTrials:
		return fmt.Errorf("%d trials: a gate takes at most %d", r.Max, MostTrials)
	case r.Max%r.Block != 0:
		return fmt.Errorf("%d trials: not a whole number of turns of %d", r.Max, r.Block)
	}
	return nil
}

// MostTrials is the greatest Max of a rule.
const MostTrials = 10_000

// Gate is a rule with its lines. It is never changed, and may be used by many goroutines.
type Gate struct {
	Rule
	// PassLine and FailLine hold, for n trials at index n-1, how many must pass for the gate to pass and how many must
	// fail for it to fail; n+1: impossible.
	PassLine, FailLine []int
	// passes and fails have, for n trials at index n, the fewest from which a line can still be reached.
	passes, fails []int

	stops func() *Stopping // its ends, at their first use: they take longer than the lines

	bars, variances memo[Counts]
	prospects       memo[int] // by the number of trials that broke
}

// gates caches gates by rule: the lines of long ones take a second.
var gates sync.Map

// Of is the gate of a rule. It is made once for each rule; a gate of 1,000 trials takes less than a second.
func Of(r Rule) (*Gate, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	made, _ := gates.LoadOrStore(r, sync.OnceValue(func() *Gate { return build(r) }))
	return made.(func() *Gate)(), nil
}

func build(r Rule) *Gate {
	g := &Gate{Rule: r}
	g.PassLine = line(r, r.Lower())
	g.FailLine = line(r, exact(1-r.Upper()))
	g.passes, g.fails = fewest(r, g.PassLine), fewest(r, g.FailLine)
	g.stops = sync.OnceValue(func() *Stopping {
		return stopping(r.Max, func(n, passes int) Verdict { return g.At(Counts{Passed: passes, Failed: n - passes}) })
	})
	return g
}

// fewest is, for each number of trials, the fewest successes from which the line can still be reached.
func fewest(r Rule, line []int) []int {
	out := make([]int, r.Max+1)
	least := r.Max + 1 // more than there can be
	for n := r.Max; n >= 0; n-- {
		if r.Look(n) {
			least = min(least, line[n-1])
		}
		out[n] = least
		least-- // one trial earlier it takes one less
	}
	return out
}

// Verdict is the verdict of a gate. Its zero value is Open.
type Verdict uint8

// The verdicts.
const (
	Open      Verdict = iota // more trials are needed
	Passed                   // the rate is above the lower line
	Failed                   // the rate is below the upper line
	Undecided                // neither was shown, and no further trials can show it
)

// String is the verdict as a word of reports.
func (v Verdict) String() string {
	switch v {
	case Passed:
		return "passed"
	case Failed:
		return "failed"
	case Undecided:
		return "undecided"
	case Open:
		return "open"
	}
	return fmt.Sprintf("Verdict(%d)", uint8(v))
}

// Counts count the trials of a gate. Broken trials ended without a verdict: they count as failures for passing, and as
// passes for failing.
type Counts struct {
	Passed, Failed, Broken int
}

// N is the number of trials.
func (c Counts) N() int { return c.Passed + c.Failed + c.Broken }

// At is the verdict after these trials, provided that there was none after fewer of them.
func (g *Gate) At(c Counts) Verdict {
	n := c.N()
	switch {
	case n < g.Min:
		return Open
	case n > g.Max:
		return Undecided
	case g.Look(n) && c.Passed >= g.PassLine[n-1]:
		return Passed
	case g.Look(n) && c.Failed >= g.FailLine[n-1]:
		return Failed
	case n == g.Max || g.lost(n, c.Passed, c.Failed):
		return Undecided
	}
	return Open
}

// lost reports whether no line can be reached any more.
func (g *Gate) lost(n, passed, failed int) bool { return passed < g.passes[n] && failed < g.fails[n] }

// Clouded reports whether broken trials prevent a verdict: had all of them passed, or all failed, a line would be
// reached, or could be with more trials.
func (g *Gate) Clouded(c Counts) bool {
	n := c.N()
	return c.Broken > 0 && n <= g.Max && !g.lost(n, c.Passed+c.Broken, c.Failed+c.Broken)
}

// Need is the least number of trials after which the gate may be over, whatever comes of them; 0 when it is over. As
// many can be started at once without one that the verdict does not need.
func (g *Gate) Need(c Counts) int {
	if g.At(c) != Open {
		return 0
	}
	for n := max(c.N()+1, g.Min); n < g.Max; n++ {
		more := n - c.N()
		if g.lost(n, c.Passed, c.Failed) || g.Look(n) &&
			(c.Passed+more >= g.PassLine[n-1] || c.Failed+more >= g.FailLine[n-1]) {
			return more
		}
	}
	return g.Max - c.N()
}

// exact takes the noise of decimal fractions off a difference of two: 0.9 - 0.2 is 0.7.
func exact(x float64) float64 { return math.Round(float64(x*1e12)) / 1e12 }
