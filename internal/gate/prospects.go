package gate

// mostForeseen is the greatest Max of gates whose prospects are known: the table of them grows with its square.
const mostForeseen = 1000

// Prospects are, for an open gate, the probability that it passes or fails, and the expected number of further trials
// until it ends. The next trial passes with probability (s + 1/2) / (n + 1) after s passes in n (W. Perks, "Some
// observations on inverse probability", Journal of the Institute of Actuaries 73 (1947), 285-334). It returns 0 and 0
// for a gate that has ended, and for one of more than 1,000 trials.
func (g *Gate) Prospects(c Counts) (verdict, trials float64) {
	if g.Max > mostForeseen || g.At(c) != Open {
		return 0, 0
	}
	p := recall(&g.prospects, c.Broken, func() *prospects { return g.foresee(c.Broken) })
	at := p.place(c.Passed, c.Failed)
	return p.verdict[at], p.trials[at]
}

// prospects are the prospects after each number of passes and failures, for a number of broken trials.
type prospects struct{ verdict, trials []float64 }

func (p *prospects) place(passed, failed int) int {
	n := passed + failed
	return n*(n+1)/2 + passed
}

// foresee works backwards from the ends of the gate.
func (g *Gate) foresee(broken int) *prospects {
	most := g.Max - broken
	size := (most + 1) * (most + 2) / 2
	p := &prospects{verdict: make([]float64, size), trials: make([]float64, size)}
	for n := most; n >= 0; n-- {
		for s := n; s >= 0; s-- {
			at := p.place(s, n-s)
			switch g.At(Counts{Passed: s, Failed: n - s, Broken: broken}) {
			case Passed, Failed:
				p.verdict[at] = 1
			case Undecided:
			case Open:
				passes := (float64(s) + 0.5) / float64(n+1)
				up, down := p.place(s+1, n-s), p.place(s, n-s+1)
				p.verdict[at] = float64(passes*p.verdict[up]) + float64((1-passes)*p.verdict[down])
				p.trials[at] = 1 + float64(passes*p.trials[up]) + float64((1-passes)*p.trials[down])
			}
		}
	}
	return p
}
