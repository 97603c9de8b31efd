// Package agreement measures how well pass and fail decisions of a judge agree with those of people.
//
// The measures are those of J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
// Measurement 20 (1960), 37–46, and of J. Yerushalmy, "Statistical problems in assessing methods of medical diagnosis",
// Public Health Reports 62 (1947), 1432–1449, whose sensitivity and specificity are here TPR and TNR.
package agreement

import (
	"cmp"
	"slices"

	"github.com/arena-evals/arena/internal/sortby"
)

// Table counts decisions. Its zero value is empty. To pass is the positive class, and people are right.
type Table struct {
	TruePass  int `json:"true_pass"`  // both pass
	FalsePass int `json:"false_pass"` // only the judge does
	FalseFail int `json:"false_fail"` // only people do
	TrueFail  int `json:"true_fail"`  // both fail
}

// Add counts one decision of people and the judge's.
func (t *Table) Add(human, judge bool) {
	switch {
	case human && judge:
		t.TruePass++
	case judge:
		t.FalsePass++
	case human:
		t.FalseFail++
	default:
		t.TrueFail++
	}
}

// N is the number of decisions.
func (t Table) N() int { return t.TruePass + t.FalsePass + t.FalseFail + t.TrueFail }

// Passes is the number of things that people pass.
func (t Table) Passes() int { return t.TruePass + t.FalseFail }

// Fails is the number of things that people fail.
func (t Table) Fails() int { return t.TrueFail + t.FalsePass }

// Agreements is the number of decisions that agree.
func (t Table) Agreements() int { return t.TruePass + t.TrueFail }

// Agreement is the share of the decisions in which both agree, from 0 to 1. It is nil without decisions.
func (t Table) Agreement() *float64 { return share(t.Agreements(), t.N()) }

// TPR is the share of what people pass that the judge passes too; nil when people pass nothing.
func (t Table) TPR() *float64 { return share(t.TruePass, t.Passes()) }

// TNR is the share of what people fail that the judge fails too; nil when people fail nothing.
func (t Table) TNR() *float64 { return share(t.TrueFail, t.Fails()) }

// Kappa is Cohen's: the agreement beyond that of chance, as a share of what could be beyond it. 1 is perfect, 0 is no
// better than a judge who decides blindly but passes as often, and below 0 is worse than that. It is nil unless people
// pass some things and fail others: with one class only, every judge has a kappa of 0 or none, and it tells nothing.
func (t Table) Kappa() *float64 {
	if t.Passes() == 0 || t.Fails() == 0 {
		return nil
	}
	// Observed and expected agreement, both times n², so that integers decide about equality.
	n := t.N()
	judgePasses := t.TruePass + t.FalsePass
	observed := n * t.Agreements()
	expected := t.Passes()*judgePasses + t.Fails()*(n-judgePasses)
	kappa := float64(observed-expected) / float64(n*n-expected) // the divisor is 0 for one class only
	return &kappa
}

func share(part, of int) *float64 {
	if of == 0 {
		return nil
	}
	s := float64(part) / float64(of)
	return &s
}

// Score is what a judge gave to a thing that people pass or fail.
type Score struct {
	Human bool
	Judge float64
}

// Best returns the threshold with the highest kappa, and that kappa. The judge passes what scores at least the
// threshold. Of several such thresholds it is the lowest. The kappa is nil where Kappa is nil, and where no threshold
// is better than chance. It is too optimistic, because the threshold was chosen on the same decisions.
func Best(scores []Score) (threshold float64, kappa *float64) {
	sorted := slices.Clone(scores)
	sortby.Func(sorted, func(a, b Score) int { return cmp.Compare(a.Judge, b.Judge) })
	var t Table
	for _, s := range sorted {
		t.Add(s.Human, true)
	}
	best := 0.0
	for i, s := range sorted {
		if i == 0 || s.Judge != sorted[i-1].Judge {
			if k := t.Kappa(); k != nil && *k > best {
				threshold, kappa, best = s.Judge, k, *k
			}
		}
		if s.Human { // it fails at every threshold above
			t.TruePass, t.FalseFail = t.TruePass-1, t.FalseFail+1
		} else {
			t.FalsePass, t.TrueFail = t.FalsePass-1, t.TrueFail+1
		}
	}
	return threshold, kappa
}
