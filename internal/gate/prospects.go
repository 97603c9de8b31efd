package gate

// mostForeseen is the greatest Max of gates whose prospects are known: the table of them grows with its square.
const mostForeseen = 1000

// Prospects is how likely the gate, which is open after these trials, comes to pass or fail, and after how many more
// trials it is over, on average: by what is to be expected of the next trial after those before, (s + 1/2) / (n + 1) of
// s passes in n (the rule of W. Perks, "Some observations on inverse probability", Journal of the Institute of
// Actuaries 73 (1947), 285-334). It is 0 and 0 for a gate that is over, and for one of more than 1,000 trials.
func (g *Gate) Prospects(c Counts) (verdict, trials float64) {
	if g.Max > mostForeseen || g.At(c) != Open {
		return 0, 0
	}
	p := recall(&g.prospects, c.Broken, func() *prospects { return g.foresee(c.Broken) })
	at := p.place(c.Passed, c.Failed)
	return p.verdict[at], p.trials[at]
}

// prospects are those after each number of passes and failures, where so many trials broke.
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
