package agreement_test

import (
	"math"
	"testing"

	"github.com/arena-evals/arena/internal/agreement"
)

// TestIntervals: known intervals, to what tables print.
func TestIntervals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		table            agreement.Table
		agreement, kappa [2]float64
	}{
		"a worked example": {agreement.Table{TruePass: 20, FalsePass: 5, FalseFail: 10, TrueFail: 15},
			[2]float64{0.5539, 0.8214}, [2]float64{0.1079, 0.6428}},
		"all alike":     {agreement.Table{TruePass: 6, TrueFail: 4}, [2]float64{0.6915, 1}, [2]float64{0.3573, 1}},
		"opposed":       {agreement.Table{FalsePass: 5, FalseFail: 5}, [2]float64{0, 0.3085}, [2]float64{-1, -0.3830}},
		"one of each":   {agreement.Table{TruePass: 1, TrueFail: 1}, [2]float64{0.1581, 1}, [2]float64{-0.6838, 1}},
		"many of them":  {agreement.Table{400_00, 100_00, 100_00, 400_00}, [2]float64{0.7975, 0.8025}, [2]float64{0.5950, 0.6050}},
		"passes always": {agreement.Table{TruePass: 7, FalsePass: 3}, [2]float64{0.3475, 0.9333}, [2]float64{-1, 0.7776}},
	} {
		for what, ends := range map[string]struct {
			got  *agreement.Interval
			want [2]float64
		}{
			"agreement": {c.table.AgreementInterval(), c.agreement}, "kappa": {c.table.KappaInterval(), c.kappa},
		} {
			if i := ends.got; i == nil || math.Abs(i.Low-ends.want[0]) > 1e-4 || math.Abs(i.High-ends.want[1]) > 1e-4 {
				t.Errorf("%s: %s: got %+v, want %v", name, what, i, ends.want)
			}
		}
	}
	if (agreement.Table{}).AgreementInterval() != nil || (agreement.Table{TruePass: 3}).KappaInterval() != nil {
		t.Error("there is an interval of nothing")
	}
}

// TestIntervalsHold: over all tables of 12 decisions that judges of known kappa give, in the share of the cases in
// which there is a kappa at all.
func TestIntervalsHold(t *testing.T) {
	t.Parallel()
	const n = 12
	log := func(k int) float64 { x, _ := math.Lgamma(float64(k + 1)); return x }
	for _, p := range [][4]float64{ // of true passes, false passes, false fails and true fails
		{.45, .05, .05, .45}, {.65, .05, .05, .25}, {.85, .03, .05, .07}, {.9, .02, .02, .06}, {.3, .2, .2, .3},
		{.48, .02, .02, .48}, {.7, .15, .05, .1}, {.6, .19, .2, .01},
	} {
		chance := (p[0]+p[2])*(p[0]+p[1]) + (p[1]+p[3])*(p[2]+p[3])
		agrees := p[0] + p[3]
		kappa := (agrees - chance) / (1 - chance)
		all, defined, agreementHeld, kappaHeld := 0.0, 0.0, 0.0, 0.0
		for a := range n + 1 {
			for b := range n + 1 - a {
				for c := range n + 1 - a - b {
					d := n - a - b - c
					table := agreement.Table{TruePass: a, FalsePass: b, FalseFail: c, TrueFail: d}
					weight := math.Exp(log(n) - log(a) - log(b) - log(c) - log(d) + float64(a)*math.Log(p[0]) +
						float64(b)*math.Log(p[1]) + float64(c)*math.Log(p[2]) + float64(d)*math.Log(p[3]))
					all += weight
					if i := table.AgreementInterval(); i.Low <= agrees && agrees <= i.High {
						agreementHeld += weight
					}
					if i := table.KappaInterval(); i != nil {
						defined += weight
						if i.Low <= kappa && kappa <= i.High {
							kappaHeld += weight
						}
					}
				}
			}
		}
		if math.Abs(all-1) > 1e-9 || agreementHeld < 0.95 || kappaHeld/defined < 0.95 {
			t.Errorf("%v: of %v, the agreement is held in %v, a kappa of %.2f in %v", p, all, agreementHeld, kappa,
				kappaHeld/defined)
		}
	}
}

// TestRateIntervals holds the ends against what defines them, added up term by term.
func TestRateIntervals(t *testing.T) {
	t.Parallel()
	atMost := func(k, n int, p float64) (sum float64) {
		for i := range k + 1 {
			whole, _ := math.Lgamma(float64(n + 1))
			chosen, _ := math.Lgamma(float64(i + 1))
			rest, _ := math.Lgamma(float64(n - i + 1))
			sum += math.Exp(whole - chosen - rest + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
		}
		return sum
	}
	for _, n := range []int{1, 2, 3, 7, 20, 41, 300, 5000} {
		for _, k := range []int{0, 1, n / 3, n / 2, n - 1, n} {
			i := agreement.RateInterval(k, n)
			share := float64(k) / float64(n)
			if i == nil || i.Low > share || i.High < share || i.Low < 0 || i.High > 1 {
				t.Fatalf("%d of %d: got %+v", k, n, i)
			}
			if k > 0 {
				if p := 1 - atMost(k-1, n, i.Low); math.Abs(p-0.025) > 1e-7 {
					t.Errorf("%d of %d: %d or more come up in %v of the cases at the low end", k, n, k, p)
				}
			} else if i.Low != 0 {
				t.Errorf("%d of %d: got %+v", k, n, i)
			}
			if k < n {
				if p := atMost(k, n, i.High); math.Abs(p-0.025) > 1e-7 {
					t.Errorf("%d of %d: %d or fewer come up in %v of the cases at the high end", k, n, k, p)
				}
			} else if i.High < 1 {
				t.Errorf("%d of %d: got %+v", k, n, i)
			}
		}
	}
	if agreement.RateInterval(0, 0) != nil {
		t.Error("there is an interval of nothing")
	}
}

func BenchmarkRateInterval(b *testing.B) {
	for b.Loop() {
		agreement.RateInterval(95_000, 100_000)
	}
}
