package evidence

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/gate"
)

func both(was, passedWas, is, passedIs int) Pair {
	return Pair{counted(was, passedWas), counted(is, passedIs)}
}

// TestJudge: a difference between runs that repeat is a fact, any other needs evidence; the suite is the worst of all.
func TestJudge(t *testing.T) {
	t.Parallel()
	fact := func(p Pair) Case { return Case{p, true} }
	chance := func(p Pair) Case { return Case{p, false} }
	for _, c := range []struct {
		name  string
		cases []Case
		want  []Verdict
		suite Verdict
	}{
		{"nothing", nil, []Verdict{}, Same},
		{"the same by chance", []Case{chance(both(5, 5, 5, 5))}, []Verdict{NoEvidence}, NoEvidence},
		{"one trial each", []Case{chance(both(1, 1, 1, 0))}, []Verdict{NoEvidence}, NoEvidence},
		{"one trial each that repeats", []Case{fact(both(1, 1, 1, 0))}, []Verdict{Regressed}, Regressed},
		{"as many by share", []Case{fact(both(4, 2, 2, 1))}, []Verdict{Same}, Same},
		{"a few of many", []Case{chance(both(10, 8, 10, 6))}, []Verdict{NoEvidence}, NoEvidence},
		{"all of many", []Case{chance(both(20, 20, 5, 0))}, []Verdict{Regressed}, Regressed},
		{"all of many, turned", []Case{chance(both(20, 0, 5, 5))}, []Verdict{Improved}, Improved},
		{"better and worse", []Case{
			fact(both(1, 0, 1, 1)), chance(both(20, 0, 5, 5)), chance(both(20, 20, 5, 0)), chance(both(5, 5, 5, 5)),
		}, []Verdict{Improved, Improved, Regressed, NoEvidence}, Regressed},
		{"no trials", []Case{chance(both(0, 0, 5, 0)), fact(both(0, 0, 5, 0))}, []Verdict{NoEvidence, Same}, NoEvidence},
	} {
		j := Judge(c.cases, Confidence, 1)
		if diff := cmp.Diff(c.want, j.Verdicts); diff != "" || j.Suite != c.suite {
			t.Errorf("%s: %s, want %s (-want +got):\n%s", c.name, j.Suite, c.suite, diff)
		}
	}
}

// TestClouded: trials that broke never show that something regressed, and never hide that it might have.
func TestClouded(t *testing.T) {
	t.Parallel()
	broke := Sample{gate.Fixed(5), true, gate.Counts{Broken: 5}}
	for _, c := range []struct {
		name string
		pair Pair
		want bool
	}{
		{"all broke", Pair{counted(20, 20), broke}, true},
		{"too few to tell", Pair{counted(1, 1), broke}, false},
		{"none broke", both(20, 20, 5, 4), false},
		{"the baseline broke", Pair{Sample{gate.Fixed(20), true, gate.Counts{Broken: 20}}, counted(5, 0)}, true},
	} {
		j := Judge([]Case{{c.pair, false}}, Confidence, 1)
		if j.Suite != NoEvidence || j.Clouded != c.want {
			t.Errorf("%s: %s, clouded %v", c.name, j.Suite, j.Clouded)
		}
	}
}

// TestSees: at the rate that is named the candidate is found in four of five runs, and above it in fewer.
func TestSees(t *testing.T) {
	t.Parallel()
	p := both(20, 19, 5, 4)
	j := Judge([]Case{{p, false}}, Confidence, 1)
	from, to, ok := j.Sees(p)
	if !ok || math.Abs(from-19.5/21) > 1e-12 {
		t.Fatalf("from %v to %v: %v", from, to, ok)
	}
	found := func(rate float64) (sum float64) {
		s := gate.Fixed(5)
		for i, chance := range s.Chances(rate) {
			if Worse(both(20, 19, 5, s.Ends()[i].Passes)) <= 0.025 {
				sum += chance
			}
		}
		return sum
	}
	if found(to) < 0.8 || found(to+from/200) >= 0.8 {
		t.Errorf("a fall to %v is found in %v, to a bit more in %v", to, found(to), found(to+from/200))
	}
	for _, few := range []Pair{both(1, 1, 1, 1), both(2, 2, 1, 0), {}} {
		if _, _, ok := Judge([]Case{{few, false}}, Confidence, 1).Sees(few); ok {
			t.Errorf("%+v: a fall would have been seen", few)
		}
	}
}
