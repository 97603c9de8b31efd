package comparison

import (
	"github.com/arena-evals/arena/internal/evidence"
	"github.com/arena-evals/arena/internal/result"
)

// seed is the seed of the random draws in the test of all scenarios, so that results repeat.
const seed = 1

// Comparable reports whether both groups ask and check the same, as far as that is known.
func (p *Pair) Comparable() bool { return result.AskedEqual(p.Was.Asked, p.Now.Asked) }

// Differs says what is asked or checked differently than before; nothing if a run does not record it.
func (p *Pair) Differs() []string {
	if p.Was.Asked == "" || p.Now.Asked == "" {
		return nil
	}
	return result.AskedDifferences(p.Was.Asked, p.Now.Asked)
}

// both is the pair for the tests.
func (p *Pair) both() evidence.Pair {
	return evidence.Pair{Baseline: p.Was.Sample(), Candidate: p.Now.Sample()}
}

// judge gives each pair its verdict.
func (r *Report) judge() {
	var cases []evidence.Case
	var of []*Pair
	for i := range r.Pairs {
		p := &r.Pairs[i]
		switch {
		case p.Now.Quarantined:
			p.Verdict = Quarantined
			continue
		case !p.Comparable():
			p.Verdict = NotCompared
			continue
		}
		of = append(of, p)
		cases = append(cases, evidence.Case{Pair: p.both(), Fact: p.Was.Repeatable && p.Now.Repeatable})
	}
	r.Judgement = evidence.Judge(cases, evidence.Confidence, seed)
	for i, p := range of {
		p.Verdict = r.Judgement.Verdicts[i]
	}
}

// Compared is how many pairs ask and check the same, so that they could be compared.
func (r *Report) Compared() int {
	return r.Count(func(p *Pair) bool { return p.Verdict != NotCompared && p.Verdict != Quarantined })
}

// Judged returns the pairs with a verdict, in order.
func (r *Report) Judged(v Verdict) (all []*Pair) {
	for i := range r.Pairs {
		if r.Pairs[i].Verdict == v {
			all = append(all, &r.Pairs[i])
		}
	}
	return all
}

// Sees is the pass rate of the earlier run, and the rate to which it must fall to be detected alone in four of five
// runs. It returns false if no fall would be detected.
func (r *Report) Sees(p *Pair) (from, to float64, ok bool) {
	if p.Verdict != NoEvidence {
		return 0, 0, false
	}
	return r.Judgement.Sees(p.both())
}
