package gate

// Odds is how a gate ends, and after how many trials.
type Odds struct {
	Passed, Failed, Undecided float64 // from 0 to 1, 1 in sum
	Trials                    float64 // on average
	Most                      int     // the most trials that come up at all
}

// Odds are the exact outcomes of the gate for an agent with a pass rate from 0 to 1, without broken trials.
func (g *Gate) Odds(rate float64) Odds { return g.stops().Odds(rate) }

// Odds are the exact outcomes of the rule at a pass rate from 0 to 1.
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

// Soonest is the number of trials after which the rule passes if all pass, and fails if all fail; 0: never.
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

// Soonest is the number of trials after which the gate passes if all pass, and fails if all fail; 0: never.
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
