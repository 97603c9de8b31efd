package evidence

import "github.com/arena-evals/arena/internal/gate"

// Verdict is the verdict of a comparison of two runs, on one scenario or on all common ones.
type Verdict string

// The verdicts.
const (
	Regressed  Verdict = "regressed"   // it passes less often
	Improved   Verdict = "improved"    // it passes more often
	NoEvidence Verdict = "no evidence" // any difference may be chance
	Same       Verdict = "same"        // a fact: both do the same whenever they are run
)

// Confidence is the default confidence of each claim.
const Confidence = 0.95

// Case is a scenario in both runs.
type Case struct {
	Pair

	// Fact says that both runs do the same whenever they are run: what differs needs no test.
	Fact bool
}

// Judgement is the result of comparing two runs.
type Judgement struct {
	Verdicts []Verdict // of the cases, in their order
	Findings           // of cases that depend on chance; indexes are those of the cases
	Tested   int       // how many these are
	// Suite is the verdict on all scenarios: Regressed if any regressed, even if others improved.
	Suite Verdict
	// Clouded says that the suite would have regressed if broken trials of the candidate had failed, and broken trials
	// of the baseline had passed.
	Clouded bool
	// Blind says that there are too few trials to detect any fall, even to no passes at all.
	Blind bool

	level float64 // at which a single scenario is significant
}

// Judge compares two runs. seed is the seed of the random draws in the test of the suite.
func Judge(cases []Case, confidence float64, seed uint64) *Judgement {
	j := &Judgement{Verdicts: make([]Verdict, len(cases)), Suite: Same, Findings: Findings{Drop: 1}}
	var at []int
	var tested []Pair
	for i, c := range cases {
		if c.Fact {
			j.Verdicts[i] = c.fact()
			j.add(j.Verdicts[i])
			continue
		}
		j.Verdicts[i] = NoEvidence
		at, tested = append(at, i), append(tested, c.Pair)
	}
	j.Tested = len(tested)
	if j.Tested == 0 {
		return j
	}
	j.Findings = Compare(tested, confidence, seed)
	j.level = (1 - confidence) / 2 / float64(max(1, failing(tested)))
	j.Worse, j.Better = through(at, j.Worse), through(at, j.Better)
	for _, i := range j.Better {
		j.Verdicts[i] = Improved
	}
	for _, i := range j.Worse {
		j.Verdicts[i] = Regressed
	}
	j.add(NoEvidence)
	if j.Findings.Improved {
		j.add(Improved)
	}
	if j.Findings.Regressed {
		j.add(Regressed)
	} else {
		j.Clouded = clouded(tested, confidence, seed)
		j.Blind = j.Tested == len(cases) && !j.Clouded && blind(tested, confidence, seed) // a fact is always seen
	}
	return j
}

// blind reports whether the suite would not regress even if no trial of the candidate had passed.
func blind(pairs []Pair, confidence float64, seed uint64) bool {
	var fallen []Pair
	for _, p := range pairs {
		if p.Baseline.Counts.N() == 0 || p.Candidate.Counts.N() == 0 {
			continue
		}
		for _, e := range p.Candidate.Stopping.Ends() {
			if e.Passes == 0 {
				p.Candidate.Counts = gate.Counts{Failed: e.N}
			}
		}
		fallen = append(fallen, p)
	}
	half := (1 - confidence) / 2
	return SuiteWorse(fallen, seed) > half*(1+tie) && len(single(fallen, half)) == 0
}

// through turns indexes of indexes into these.
func through(at, found []int) []int {
	out := make([]int, len(found))
	for i, k := range found {
		out[i] = at[k]
	}
	return out
}

// add combines a verdict with that of the suite: the worse one counts.
func (j *Judgement) add(v Verdict) {
	rank := map[Verdict]int{Same: 0, NoEvidence: 1, Improved: 2, Regressed: 3}
	if rank[v] > rank[j.Suite] {
		j.Suite = v
	}
}

// fact is the verdict without a test. A broken trial is one that did not pass.
func (c *Case) fact() Verdict {
	b, a := c.Baseline.Counts, c.Candidate.Counts
	switch was, is := b.Passed*a.N(), a.Passed*b.N(); {
	case b.N() == 0 || a.N() == 0 || was == is:
		return Same
	case was > is:
		return Regressed
	}
	return Improved
}

// failing counts the pairs with a failed trial.
func failing(pairs []Pair) (n int) {
	for _, p := range pairs {
		if b, c := p.Baseline.Counts, p.Candidate.Counts; b.Passed < b.N() || c.Passed < c.N() {
			n++
		}
	}
	return n
}

// clouded reports whether the suite would have regressed if broken trials of the candidate had failed, and broken
// trials of the baseline had passed.
func clouded(pairs []Pair, confidence float64, seed uint64) bool {
	broke := false
	settled := make([]Pair, len(pairs))
	for i, p := range pairs {
		b, c := &p.Baseline.Counts, &p.Candidate.Counts
		broke = broke || b.Broken+c.Broken > 0
		b.Passed, b.Broken = b.Passed+b.Broken, 0
		c.Failed, c.Broken = c.Failed+c.Broken, 0
		settled[i] = p
	}
	return broke && Compare(settled, confidence, seed).Regressed
}

// Sees is the rate to which the candidate of a case must fall to be detected alone in four of five runs, given the
// results of the baseline. It returns false if there are too few trials to detect any fall.
func (j *Judgement) Sees(p Pair) (from, to float64, ok bool) {
	b := p.Baseline.Counts
	if j.level == 0 || b.N() == 0 || p.Candidate.Counts.N() == 0 {
		return 0, 0, false
	}
	from = (float64(p.Baseline.passes(false)) + 0.5) / float64(b.N()+1)
	if !p.Candidate.Fixed {
		by := drop([]Pair{p}, j.level)
		return from, max(from-by, 0), by < from
	}
	power := p.power(j.level)
	const most = 200
	for i := most; i >= 0; i-- {
		if to = from * float64(i) / most; power(to) >= fourOfFive {
			return from, to, true
		}
	}
	return from, 0, false
}

const fourOfFive = 0.8

// power is how likely it is, by the rate of a candidate with a fixed number of trials, that it is found at a level.
func (p Pair) power(level float64) func(rate float64) float64 {
	n := p.Candidate.Counts.N()
	low, high := -1, n // of the passes: found, and not
	for high-low > 1 {
		mid := (low + high) / 2
		p.Candidate.Counts = gate.Counts{Passed: mid, Failed: n - mid}
		if Worse(p) <= level*(1+tie) {
			low = mid
		} else {
			high = mid
		}
	}
	ends := p.Candidate.Stopping.Ends()
	return func(rate float64) (sum float64) {
		for i, chance := range p.Candidate.Stopping.Chances(rate) {
			if ends[i].Passes <= low {
				sum += chance
			}
		}
		return sum
	}
}
