package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/arena-evals/arena/internal/result"
)

// Spread is how numbers are spread. Quartiles that fall between two numbers are taken in between them.
type Spread struct {
	N         int     `json:"n"`
	Mean      float64 `json:"mean"`
	Low       float64 `json:"lowest"`
	Quarter   float64 `json:"quartile_1"`
	Median    float64 `json:"median"`
	Threes    float64 `json:"quartile_3"`
	Percent95 float64 `json:"percentile_95"`
	High      float64 `json:"highest"`
}

// place is a trial by its run and its place among the briefs of that.
type place struct{ run, at int32 }

// group is trials whose numbers are compared.
type group struct {
	of     []Input
	trials []place
	passed int
}

func (g *group) add(at place, b *result.Brief) {
	if b.Status == result.Passed {
		g.passed++
	}
	g.trials = append(g.trials, at)
}

func (g *group) brief(at place) *result.Brief { return g.of[at.run].Run.Briefs.At(int(at.at)) }

// numbers are those of the trials that have one, sorted.
func (g *group) numbers(of func(*result.Brief) (float64, bool)) []float64 {
	all := make([]float64, 0, len(g.trials))
	for _, at := range g.trials {
		if n, known := of(g.brief(at)); known {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all
}

func costOf(b *result.Brief) (float64, bool) {
	if b.CostUSD == nil {
		return 0, false
	}
	return *b.CostUSD, true
}

func durationOf(b *result.Brief) (float64, bool) { return b.DurationMS, true }
func turnsOf(b *result.Brief) (float64, bool)    { return float64(b.Turns), true }
func roundsOf(b *result.Brief) (float64, bool)   { return float64(b.Usage.Calls), true }

func (g *group) summary(key groupKey) Group {
	return Group{
		Scenario: key.scenario, Provider: key.provider, Trials: len(g.trials), Passed: g.passed,
		CostUSD:    spreadOf(g.numbers(costOf)),
		Simulated:  slices.ContainsFunc(g.trials, func(at place) bool { return g.brief(at).SimulatedUSD() > 0 }),
		DurationMS: spreadOf(g.numbers(durationOf)),
		Turns:      spreadOf(g.numbers(turnsOf)),
		Rounds:     spreadOf(g.numbers(roundsOf)),
	}
}

// spreadOf is how sorted numbers are spread; nil: there are none.
func spreadOf(sorted []float64) *Spread {
	if len(sorted) == 0 {
		return nil
	}
	sum := 0.0
	for _, n := range sorted {
		sum += n
	}
	return &Spread{
		N: len(sorted), Mean: tidy(sum / float64(len(sorted))), Low: sorted[0], Quarter: quantile(sorted, 0.25),
		Median: quantile(sorted, 0.5), Threes: quantile(sorted, 0.75), Percent95: quantile(sorted, 0.95),
		High: sorted[len(sorted)-1],
	}
}

// quantile is the number below which a part of sorted numbers lies.
func quantile(sorted []float64, part float64) float64 {
	at := part * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return tidy(sorted[low] + float64((at-float64(low))*(sorted[high]-sorted[low])))
}

// tidy rounds to twelve digits after the point.
func tidy(n float64) float64 {
	const digits = 1e12
	if math.Abs(n) > 1e3 {
		return n
	}
	return math.Round(n*digits) / digits
}

// fewest is the least number of trials of which one can lie apart.
const fewest = 5

// fence is how many times the distance of the quartiles a number has to lie from the nearer of them to stand out.
const fence = 1.5

// margin is the part of the median by which a number has to differ from it as well: where nearly all are equal, the
// quartiles lie together. A time has to differ by minMS.
const (
	margin = 0.2
	minMS  = 50
)

// outliers tells of the trials that lie beyond the fences of the group.
func (g *group) outliers(key groupKey, runs []Run, tell func(Outlier)) {
	for _, m := range []struct {
		name string
		of   func(*result.Brief) (float64, bool)

		least float64 // by which it has to differ from the median
	}{{"cost_usd", costOf, 0}, {"duration_ms", durationOf, minMS}} {
		s := spreadOf(g.numbers(m.of))
		if s == nil || s.N < fewest {
			continue
		}
		apart := s.Threes - s.Quarter
		low, high := tidy(s.Quarter-fence*apart), tidy(s.Threes+fence*apart)
		unit := cmp.Or(apart, s.Median, 1)
		for _, at := range g.trials {
			one := g.brief(at)
			n, known := m.of(one)
			if !known || n >= low && n <= high || math.Abs(n-s.Median) < max(margin*s.Median, m.least) {
				continue
			}
			o := Outlier{
				Place: Place{runs[at.run].Name, one.ID, key.scenario, key.provider}, What: m.name, Value: n, Median: s.Median,
				Fence: high, Far: tidy((n - high) / unit), Simulated: one.Simulated && m.name == "cost_usd",
			}
			if n < low {
				o.Fence, o.Far = low, tidy((low-n)/unit)
			}
			tell(o)
		}
	}
}
