package agreement_test

import (
	"math"
	"testing"

	"github.com/arena-evals/arena/internal/agreement"
)

func TestMeasures(t *testing.T) {
	t.Parallel()
	nan := math.NaN() // nil
	for name, c := range map[string]struct {
		table                      agreement.Table
		agreement, kappa, tpr, tnr float64
	}{
		"nothing":             {agreement.Table{}, nan, nan, nan, nan},
		"a worked example":    {agreement.Table{20, 5, 10, 15}, 0.7, 0.4, 20.0 / 30, 15.0 / 20},
		"rare failures":       {agreement.Table{118, 5, 2, 0}, 118.0 / 125, (118.0/125 - 14770.0/15625) / (1 - 14770.0/15625), 118.0 / 120, 0},
		"all alike":           {agreement.Table{6, 0, 0, 4}, 1, 1, 1, 1},
		"always opposed":      {agreement.Table{0, 5, 5, 0}, 0, -1, 0, 0},
		"passes everything":   {agreement.Table{7, 3, 0, 0}, 0.7, 0, 1, 0},
		"fails everything":    {agreement.Table{0, 0, 7, 3}, 0.3, 0, 0, 1},
		"only passes":         {agreement.Table{9, 0, 1, 0}, 0.9, nan, 0.9, nan},
		"only passes, alike":  {agreement.Table{10, 0, 0, 0}, 1, nan, 1, nan},
		"only failures":       {agreement.Table{0, 1, 0, 9}, 0.9, nan, nan, 0.9},
		"one of each":         {agreement.Table{1, 0, 0, 1}, 1, 1, 1, 1},
		"a million decisions": {agreement.Table{400_000, 100_000, 100_000, 400_000}, 0.8, 0.6, 0.8, 0.8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			same(t, "agreement", c.table.Agreement(), c.agreement)
			same(t, "kappa", c.table.Kappa(), c.kappa)
			same(t, "TPR", c.table.TPR(), c.tpr)
			same(t, "TNR", c.table.TNR(), c.tnr)
		})
	}
}

func same(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	switch {
	case got == nil && math.IsNaN(want):
	case got == nil:
		t.Errorf("%s: got none, want %v", what, want)
	case math.IsNaN(want) || math.Abs(*got-want) > 1e-12:
		t.Errorf("%s: got %v, want %v", what, *got, want)
	}
}

func TestAddCounts(t *testing.T) {
	t.Parallel()
	var got agreement.Table
	for _, d := range [][2]bool{{true, true}, {true, true}, {false, true}, {true, false}, {false, false}} {
		got.Add(d[0], d[1])
	}
	if want := (agreement.Table{2, 1, 1, 1}); got != want || got.N() != 5 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestKappaIsSymmetric holds for chance-corrected agreement: it does not matter who of two raters is taken for right,
// nor which class is called positive.
func TestKappaIsSymmetric(t *testing.T) {
	t.Parallel()
	for a := range 5 {
		for b := range 5 {
			for c := range 5 {
				d := 4
				one := agreement.Table{a + 1, b, c, d}.Kappa()
				swapped := agreement.Table{a + 1, c, b, d}.Kappa()
				turned := agreement.Table{d, c, b, a + 1}.Kappa()
				if one == nil || swapped == nil || turned == nil ||
					math.Abs(*one-*swapped) > 1e-12 || math.Abs(*one-*turned) > 1e-12 || *one > 1 || *one < -1 {
					t.Errorf("%d %d %d %d: %v %v %v", a+1, b, c, d, one, swapped, turned)
				}
			}
		}
	}
}

func TestBest(t *testing.T) {
	t.Parallel()
	type s = agreement.Score
	for name, c := range map[string]struct {
		scores    []s
		threshold float64
		kappa     float64
	}{
		"nothing":         {nil, 0, math.NaN()},
		"one class":       {[]s{{true, 0.5}, {true, 0.9}}, 0, math.NaN()},
		"apart":           {[]s{{false, 0.1}, {false, 0.6}, {true, 0.7}, {true, 0.9}}, 0.7, 1},
		"apart, shuffled": {[]s{{true, 0.9}, {false, 0.6}, {true, 0.7}, {false, 0.1}}, 0.7, 1},
		"one astray":      {[]s{{false, 0.1}, {false, 0.8}, {false, 0.2}, {true, 0.7}, {true, 0.9}, {true, 1}}, 0.7, 2.0 / 3},
		"all the same":    {[]s{{false, 0.5}, {true, 0.5}}, 0, math.NaN()},
		"upside down":     {[]s{{true, 0.1}, {false, 0.9}}, 0, math.NaN()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			threshold, kappa := agreement.Best(c.scores)
			same(t, "kappa", kappa, c.kappa)
			if threshold != c.threshold {
				t.Errorf("threshold: got %v, want %v", threshold, c.threshold)
			}
		})
	}
}
