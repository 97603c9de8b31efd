package gate

// Odds is how a gate ends, and after how many trials.
type Odds struct {
	Passed, Failed, Undecided float64 // from 0 to 1, 1 in sum
	Trials                    float64 // on average
	Most                      int     // the most trials that come up at all
}

// Odds is what the gate does to an agent that passes at a rate, from 0 to 1, and none of whose trials breaks. It is
// exact.
func (g *Gate) Odds(rate float64) Odds { return g.stops().Odds(rate) }

// Odds is how trials end by the rule, where they pass at a rate from 0 to 1. It is exact.
func (e *Stopping) Odds(rate float64) (o Odds) {
	for i, p := range e.Chances(rate) {
		end := e.all[i]
		switch end.Verdict {
		case Passed:
			o.Passed += p
		case Failed:
			o.Failed += p
		case Open, Undecided:
			o.Undecided += p
		}
		o.Trials += float64(p * float64(end.N))
		if p > 0 {
			o.Most = max(o.Most, end.N)
		}
	}
	return o
}

// Soonest is after how many trials the rule passes where all pass, and fails where all fail; 0: it never does.
func (e *Stopping) Soonest() (pass, fail int) {
	for _, end := range e.all {
		switch {
		case end.Verdict == Passed && end.Passes == end.N:
			pass = end.N
		case end.Verdict == Failed && end.Passes == 0:
			fail = end.N
		}
	}
	return pass, fail
}

// Soonest is after how many trials the gate passes where all pass, and fails where all fail; 0: it never does.
func (g *Gate) Soonest() (pass, fail int) {
	for n := g.Max; n >= g.Min; n-- {
		if g.Look(n) && g.PassLine[n-1] <= n {
			pass = n
		}
		if g.Look(n) && g.FailLine[n-1] <= n {
			fail = n
		}
	}
	return pass, fail
}
