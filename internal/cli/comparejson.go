package cli

import (
	"github.com/arena-evals/arena/internal/comparison"
	"github.com/arena-evals/arena/internal/result"
)

// comparedRuns is what `arena compare --format json` prints.
type comparedRuns struct {
	Before     string          `json:"before"`
	After      string          `json:"after"`
	Groups     []comparedPair  `json:"groups"`
	OnlyBefore []comparedGroup `json:"only_before"`
	OnlyAfter  []comparedGroup `json:"only_after"`
}

type comparedPair struct {
	Change    comparison.Change `json:"change"`
	Unchecked bool              `json:"unchecked"`
	Slower    bool              `json:"slower"`
	Faster    bool              `json:"faster"`
	Dearer    bool              `json:"dearer"`
	Cheaper   bool              `json:"cheaper"`
	Before    comparedGroup     `json:"before"`
	After     comparedGroup     `json:"after"`
	Trial     string            `json:"trial"` // of After, that shows the change best
}

// comparedGroup has the means of its trials.
type comparedGroup struct {
	Name       string        `json:"name"`
	Status     result.Status `json:"status"`
	Trials     int           `json:"trials"`
	Passed     int           `json:"passed"`
	DurationMS float64       `json:"duration_ms"`
	CostUSD    *float64      `json:"cost_usd"`                // null: the price is not known
	Simulated  float64       `json:"simulated_usd,omitempty"` // the part of the cost that mocks made up
	Tokens     float64       `json:"tokens"`
}

func comparedGroups(r *comparison.Report, before, after string) comparedRuns {
	out := comparedRuns{
		Before: before, After: after, Groups: []comparedPair{}, OnlyBefore: asCompared(r.Gone), OnlyAfter: asCompared(r.New),
	}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		_, told := r.Told(p)
		out.Groups = append(out.Groups, comparedPair{
			p.Change, p.Unchecked, p.Slower, p.Faster, p.Dearer, p.Cheaper, compared(p.Was), compared(p.Now),
			r.After.Briefs[told].ID,
		})
	}
	return out
}

func compared(g *comparison.Group) comparedGroup {
	return comparedGroup{g.Name, g.Status, len(g.Trials), g.Passed, g.DurationMS, g.CostUSD, g.SimulatedUSD, g.Tokens}
}

func asCompared(groups []*comparison.Group) []comparedGroup {
	all := []comparedGroup{}
	for _, g := range groups {
		all = append(all, compared(g))
	}
	return all
}
