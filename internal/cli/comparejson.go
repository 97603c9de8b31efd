package cli

import (
	"github.com/arena-evals/arena/internal/comparison"
	"github.com/arena-evals/arena/internal/result"
)

// comparedRuns is what `arena compare --format json` prints.
type comparedRuns struct {
	Before     string          `json:"before"`
	After      string          `json:"after"`
	Suite      comparedSuite   `json:"suite"`
	Groups     []comparedPair  `json:"groups"`
	OnlyBefore []comparedGroup `json:"only_before"`
	OnlyAfter  []comparedGroup `json:"only_after"`
}

// comparedSuite is the verdict on all groups together.
type comparedSuite struct {
	Verdict  comparison.Verdict `json:"verdict"`
	Compared int                `json:"compared"` // groups
	Tested   int                `json:"tested"`   // of them, groups whose results vary by chance
	// MeanRegressed and MeanImproved say that the mean of all pass rates changed, whatever single groups show.
	MeanRegressed bool `json:"mean_regressed"`
	MeanImproved  bool `json:"mean_improved"`
	// Drop is the smallest fall of the mean rate that would likely have been detected; null: none would.
	Drop    *float64 `json:"drop"`
	Clouded bool     `json:"clouded"` // broken trials may hide a regression
	Blind   bool     `json:"blind"`   // there are too few trials to detect any fall
}

// comparedFall is a fall of a pass rate that would likely have been detected.
type comparedFall struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

type comparedPair struct {
	Verdict   comparison.Verdict `json:"verdict"`
	Sees      *comparedFall      `json:"sees"` // null: no fall would have been detected, or there is a verdict
	Change    comparison.Change  `json:"change"`
	Unchecked bool               `json:"unchecked"`
	Less      string             `json:"less,omitempty"`    // what its gate asks less of it
	Differs   []string           `json:"differs,omitempty"` // what is asked or checked differently
	Slower    bool               `json:"slower"`
	Faster    bool               `json:"faster"`
	Dearer    bool               `json:"dearer"`
	Cheaper   bool               `json:"cheaper"`
	Before    comparedGroup      `json:"before"`
	After     comparedGroup      `json:"after"`
	Trial     string             `json:"trial"` // the trial of After that shows the change best
}

// comparedGroup has the means of its trials.
type comparedGroup struct {
	Name       string        `json:"name"`
	Status     result.Status `json:"status"`
	Trials     int           `json:"trials"`
	Passed     int           `json:"passed"`
	Asked      string        `json:"asked,omitempty"` // equal for groups that ask and check the same
	DurationMS float64       `json:"duration_ms"`
	CostUSD    *float64      `json:"cost_usd"`                // null: the price is not known
	Simulated  float64       `json:"simulated_usd,omitempty"` // the part of the cost that mocks simulated
	Tokens     float64       `json:"tokens"`
}

func comparedGroups(r *comparison.Report, before, after string) comparedRuns {
	out := comparedRuns{
		Before: before, After: after, Groups: []comparedPair{}, OnlyBefore: asCompared(r.Gone), OnlyAfter: asCompared(r.New),
	}
	j := r.Judgement
	out.Suite = comparedSuite{
		Verdict: j.Suite, Compared: r.Compared(), Tested: j.Tested, MeanRegressed: j.SuiteWorse, MeanImproved: j.SuiteBetter,
		Clouded: j.Clouded, Blind: j.Blind,
	}
	if r.Compared() == 0 {
		out.Suite.Verdict = comparison.NotCompared
	}
	if j.Tested > 0 && j.Drop < 1 {
		out.Suite.Drop = &j.Drop
	}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		_, told := r.Representatives(p)
		var sees *comparedFall
		if from, to, ok := r.Sees(p); ok {
			sees = &comparedFall{from, to}
		}
		out.Groups = append(out.Groups, comparedPair{
			p.Verdict, sees, p.Change, p.Unchecked || p.Fewer, p.Less, p.Differs(),
			p.Slower, p.Faster, p.Dearer, p.Cheaper, compared(p.Was),
			compared(p.Now),
			r.After.Briefs.At(told).ID,
		})
	}
	return out
}

func compared(g *comparison.Group) comparedGroup {
	return comparedGroup{g.Name, g.Status, len(g.Trials), g.Passed, g.Asked, g.DurationMS, g.CostUSD, g.SimulatedUSD,
		g.Tokens}
}

func asCompared(groups []*comparison.Group) []comparedGroup {
	all := []comparedGroup{}
	for _, g := range groups {
		all = append(all, compared(g))
	}
	return all
}
