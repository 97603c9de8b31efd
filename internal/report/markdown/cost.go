package markdown

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

const maxProviders = 30

// providerCost sums up the trials of a provider.
type providerCost struct {
	who            string
	groups, held   int // groups with a verdict, and those that passed by their pass_threshold
	trials, passed int
	unpriced       int
	usage          result.Usage
	ms, usd        float64
	simulated      float64 // the part of usd that mocks made up
	priced         bool
}

// costs is the table of costs by provider; "" when no model was called.
func costs(groups *show.Groups, run *result.Run) string {
	if run.Summary.Usage.Calls == 0 {
		return ""
	}
	all := costByProvider(groups, run)
	var b strings.Builder
	title := "Cost by provider"
	if len(run.Summary.Beside()) > 0 {
		title = "Cost of the agents by provider"
	}
	held := func(*providerCost) string { return "" }
	heading, line := "", ""
	if len(run.Groups) > 0 { // failures may be tolerated, so trials alone would mislead
		heading, line = " scenarios passed |", "--:|"
		held = func(s *providerCost) string {
			return fmt.Sprintf(" %s of %s |", show.Count(s.held), show.Count(s.groups))
		}
	}
	b.WriteString("### " + title + "\n\n| provider |" + heading + " trials | passed | tokens | time per trial | cost |\n" +
		"|---|" + line + "--:|--:|--:|--:|--:|\n")
	for i, s := range all {
		if i == maxProviders {
			fmt.Fprintf(&b, "\n… and %s\n", show.Plural(len(all)-i, "more provider"))
			break
		}
		fmt.Fprintf(&b, "| %s |%s %s | %s | %s | %s | %s |\n", inline(s.who), held(s), show.Count(s.trials),
			show.Count(s.passed), show.Count(s.usage.Total()), show.Seconds(s.ms/float64(s.trials)),
			strings.ReplaceAll(s.cost(), "$", "\\$"))
	}
	return b.String() + "\n"
}

func (s *providerCost) cost() string {
	switch {
	case !s.priced:
		return show.Unknown
	case s.unpriced > 0:
		return show.Spent(&s.usd, s.simulated) + " and " + show.Unknown
	}
	return show.Spent(&s.usd, s.simulated)
}

func costByProvider(groups *show.Groups, run *result.Run) []*providerCost {
	var all []*providerCost
	known := map[string]*providerCost{}
	for g := range groups.All() {
		who := g.ColumnLabel()
		s := known[who]
		if s == nil {
			s = &providerCost{who: who}
			known[who], all = s, append(all, s)
		}
		switch g.Status {
		case result.Skipped, result.Cancelled:
		case result.Passed:
			s.held++
			s.groups++
		default:
			s.groups++
		}
		for _, t := range g.Trials {
			s.add(run.Briefs.At(t))
		}
	}
	return all
}

func (s *providerCost) add(b *result.Brief) {
	s.trials++
	if b.Status == result.Passed {
		s.passed++
	}
	s.ms += b.DurationMS
	s.usage.Usage = s.usage.Usage.Add(b.Usage.Usage)
	switch {
	case b.CostUSD != nil:
		s.usd += *b.CostUSD
		s.simulated += b.SimulatedUSD()
		s.priced = true
	case b.Usage.Calls > 0:
		s.unpriced++
	}
}
