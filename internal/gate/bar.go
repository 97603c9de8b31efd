package gate

// Bar is the range of rates that trials leave: the true rate lies below Low in at most alpha of all runs, and above
// High in at most alpha, whatever it is.
type Bar struct {
	Low, High float64
	// Exact says that the bar is exact for the planned end of the gate. Otherwise it holds at all numbers of trials at
	// once, and is wider.
	Exact bool
}

// Shown is the Bar for people: the bar of an undecided gate reaches both lines. Some bars would miss a line by very
// little, and a wider bar is still valid.
func (g *Gate) Shown(c Counts) Bar {
	return recall(&g.bars, c, func() Bar {
		b := g.Bar(c)
		if v := g.At(c); v == Open || v == Undecided {
			b.Low, b.High = min(b.Low, g.Lower()), max(b.High, g.Upper())
		}
		return b
	})
}

// Bar is the error bar of a gate, wherever its trials ended.
//
// At a planned end it is exact, by the stage-wise ordering of P. Armitage, "Numerical studies in the sequential
// estimation of a binomial parameter", Biometrika 45 (1958), 1-15; with one look it is the interval of Clopper and
// Pearson. It lies above the lower line if the gate passed, and below the upper one if it failed.
//
// Elsewhere, and with broken trials, it is Repeated, cut at the line of the verdict.
func (g *Gate) Bar(c Counts) Bar {
	e := g.stops()
	if i, planned := e.at[[2]int{c.N(), c.Passed}]; planned && c.Broken == 0 {
		return Bar{e.low(i, g.Rule), e.high(i, g.Rule), true}
	}
	b := Repeated(c, g.Max, g.Confidence)
	switch g.At(c) {
	case Passed:
		b.Low = max(b.Low, g.Lower())
	case Failed:
		b.High = min(b.High, g.Upper())
	case Open, Undecided:
	}
	return b
}

// low is the rate at which an end, or a better one, comes up in alpha of all runs.
func (e *Stopping) low(i int, r Rule) float64 {
	for i > 0 && e.all[i].against(e.all[i-1]) == 0 {
		i--
	}
	if i == 0 {
		return 0
	}
	return solve(func(rate float64) bool { return add(e.Chances(rate)[i:]) < r.Alpha() })
}

// high is the rate at which an end, or a worse one, does.
func (e *Stopping) high(i int, r Rule) float64 {
	for i+1 < len(e.all) && e.all[i].against(e.all[i+1]) == 0 {
		i++
	}
	if i == len(e.all)-1 {
		return 1
	}
	return solve(func(rate float64) bool { return add(e.Chances(rate)[:i+1]) > r.Alpha() })
}

// solve finds the rate up to which something holds.
func solve(holds func(rate float64) bool) float64 {
	low, high := 0.0, 1.0
	for range steps {
		if mid := (low + high) / 2; holds(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

func add(chances []float64) (sum float64) {
	for _, p := range chances {
		sum += p
	}
	return sum
}
