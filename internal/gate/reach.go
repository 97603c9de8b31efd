package gate

import "math"

// Reachable reports whether any agent can pass: whether Max passes of Max reach the lower line.
func (r Rule) Reachable() bool { return r.best(r.Max) <= r.Alpha()*(1+guard) }

// best is how likely n trials all pass at the lower line.
func (r Rule) best(n int) float64 {
	all := one
	for range n {
		all = all.times(toWide(r.Lower()))
	}
	return all.float()
}

// LeastMax is the least Max, in whole rounds, with which an agent can pass; false: it is above MostTrials.
func (r Rule) LeastMax() (int, bool) {
	all, by := one, toWide(r.Lower())
	for n := 1; n <= MostTrials; n++ {
		all = all.times(by)
		if n%r.Block == 0 && n >= r.Min && all.float() <= r.Alpha()*(1+guard) {
			return n, true
		}
	}
	return 0, false
}

// LeastTolerance is the least tolerance, in whole hundredths, with which an agent can pass; false: no line above 0
// remains.
func (r Rule) LeastTolerance() (float64, bool) {
	for i := 1; i < 100; i++ {
		if r.Tolerance = float64(i) / 100; r.Lower() <= 0 {
			return 0, false
		}
		if r.Reachable() {
			return r.Tolerance, true
		}
	}
	return 0, false
}

// MostConfidence is the highest confidence, in whole hundredths, with which an agent can pass; false: it is at most one
// half.
func (r Rule) MostConfidence() (float64, bool) {
	for i := 99; i > 50; i-- {
		if r.Confidence = float64(i) / 100; r.Reachable() {
			return r.Confidence, true
		}
	}
	return 0, false
}

// BestLow is the lower end of the error bar of Max passes of Max, with no look before.
func (r Rule) BestLow() float64 { return atLeast(r.Max, r.Max, r.Alpha()) }

// DefaultMax is the Max of rules that name none: ten times as many trials as take one failure at the lower line, from
// 20 to 1,000, and a whole number of turns.
func (r Rule) DefaultMax() int {
	most := int(math.Ceil(float64(10/exact(1-r.Lower())) - guard))
	most = min(max(most, 20, r.Min), 1000)
	return (most + r.Block - 1) / r.Block * r.Block
}
