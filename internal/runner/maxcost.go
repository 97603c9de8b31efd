package runner

import (
	"fmt"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// costOf sums expenses in US dollars. unpriced are the models whose price is not known.
func costOf(expenses []Expense) (usd float64, unpriced []*scenario.Provider) {
	for _, x := range expenses {
		if x.USD == nil {
			unpriced = append(unpriced, x.Model)
			continue
		}
		usd += *x.USD
	}
	return usd, unpriced
}

// ReportMaxCost reports why a limit of costs (--max-cost, in US dollars) cannot be enforced: a model has no known
// price, or the limit is too low for any trial.
//
// kept says that replies may come from a cache or a recording and cost nothing. goesOn says that an earlier run is
// resumed: its trials may be all that is needed, so a low limit is not reported.
func (p *Plan) ReportMaxCost(limit float64, calls CallParameters, kept, goesOn bool, d *diag.List) {
	least, told, asked := -1.0, map[*scenario.Provider]bool{}, map[*scenario.Provider]bool{}
	for t := range p.Groups() {
		usd, unpriced := costOf(p.Estimate(t, calls))
		for _, spec := range unpriced {
			if spec.IsAgent() && !asked[spec] {
				asked[spec] = true
				d.Warnf(spec.Pos, 1, "untold-cost", "what a trial of %s costs is known when the agent has told it: the first of "+
					"each scenario runs whatever it takes, while anything of --max-cost is left", modelName(spec)).
					Hint = "write pricing in the file of the provider, and it is foreseen by the lengths of the texts"
			}
			if !spec.IsAgent() && !told[spec] {
				told[spec] = true
				d.Errorf(spec.Pos, 1, "unknown-price", "the price of %s is not known, so --max-cost cannot be held",
					modelName(spec)).Hint = "write pricing in the file of the provider: what 1,000 tokens of input and of output cost"
			}
		}
		if least < 0 || usd < least {
			least = usd
		}
	}
	if len(told) == 0 && !goesOn && least > limit {
		hint := "what it may cost is estimated by the lengths of the texts, as arena run --estimate does"
		if kept {
			hint = "replies that --cache or --record hold cost nothing, which is known only when they are asked for: a higher " +
				"limit does not make them dearer"
		}
		d.Errorf(diag.Pos{}, 0, "no-trial-fits", "--max-cost %g pays for no trial: the cheapest may cost %s", limit,
			dollars(least)).Hint = hint
	}
}

func modelName(spec *scenario.Provider) string {
	if spec.Model == "" || spec.Model == spec.ID {
		return "provider " + spec.ID
	}
	return fmt.Sprintf("%s (provider %s)", spec.Model, spec.ID)
}
