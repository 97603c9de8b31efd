package junit

import (
	"fmt"
	"math"
	"strconv"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// change are the properties that say how the group changed since the baseline, when there is evidence.
func (b *builder) change(g *show.Group) []property {
	if text := b.changes[b.run.Briefs.At(g.Trials[0]).GroupName()]; text != "" {
		return []property{{"baseline", show.Line(text)}}
	}
	return nil
}

// flaky returns the properties for trials that failed in an earlier run and pass now, and the number of trials that
// were kept from an earlier run.
func (b *builder) flaky(g *show.Group) (all []property) {
	before := 0
	for _, i := range g.Trials {
		brief := b.run.Briefs.At(i)
		if brief.Before {
			before++
		}
		if !brief.Flaky {
			continue
		}
		t, err := b.run.Trials.Trial(i)
		if err != nil {
			all = append(all, property{"flaky", show.Line(err.Error())})
			continue
		}
		for _, line := range show.EarlierFailures(t) {
			all = append(all, property{"flaky", line})
		}
	}
	if before > 0 {
		all = append(all, property{"before", strconv.Itoa(before)})
	}
	return all
}

// guardrails is the property that counts guardrails that fired in a group; nil when none did. Guardrails that only
// monitor do not count.
func (b *builder) guardrails(g *show.Group) []property {
	fired := 0
	for _, i := range g.Trials {
		if n := b.run.Briefs.At(i).Guards; n != nil {
			fired += n.Fired
		}
	}
	if fired == 0 {
		return nil
	}
	return []property{{"guardrails_fired", strconv.Itoa(fired)}}
}

const maxRefusing = 5 // trials of a group whose refused transitions are listed

// refused are the properties for transitions that were refused, in trials of whatever status: their number, and each
// with its reason.
func (b *builder) refused(g *show.Group) (all []property) {
	n, trials := 0, 0
	for _, i := range g.Trials {
		brief := b.run.Briefs.At(i)
		if brief.Refused == 0 {
			continue
		}
		n += brief.Refused
		if trials++; trials > maxRefusing {
			continue
		}
		t, err := b.run.Trials.Trial(i)
		if err != nil {
			all = append(all, property{"refused_transition", show.Line(err.Error())})
			continue
		}
		for _, line := range show.Refusals(t) {
			if name := trialName(t, brief); name != "" {
				line = name + ", " + line
			}
			all = append(all, property{"refused_transition", line})
		}
	}
	if n == 0 {
		return nil
	}
	return append([]property{{"refused_transitions", strconv.Itoa(n)}}, all...)
}

// sharesJudgements reports whether trials share answers of judges, so that what they cost does not add up to what the
// run did.
func sharesJudgements(run *result.Run) bool {
	calls := 0
	for _, b := range run.Briefs.All() {
		if b.Judges != nil {
			calls += b.Judges.Calls
		}
	}
	return run.Summary.Judges != nil && calls != run.Summary.Judges.Calls
}

// judges are the properties for the cost of judging a group, without the cost of its agent; nil when no model judged.
// An answer of a judge that several trials share counts for the first of them, so that the testcases add up to the run.
func (b *builder) judges(g *show.Group) ([]property, error) {
	var sum sideCosts
	for _, i := range g.Trials {
		j, err := b.judgesOf(i)
		if err != nil {
			return nil, err
		}
		sum.add(j)
	}
	return sum.properties("judge"), nil
}

// sideCostProperties are the properties of models other than the agents of a group, with a prefix; nil: none.
func (b *builder) sideCostProperties(g *show.Group, prefix string, of func(*result.Brief) *result.SideCost) []property {
	var sum sideCosts
	for _, i := range g.Trials {
		sum.add(of(b.run.Briefs.At(i)))
	}
	return sum.properties(prefix)
}

// sideCosts sums the usage of models other than the agents of a group.
type sideCosts struct {
	cost, simulated float64
	tokens, calls   int
	unknown         bool // the cost of a trial is not known
}

func (s *sideCosts) add(c *result.SideCost) {
	if c == nil {
		return
	}
	s.calls += c.Calls
	s.tokens += c.Total()
	s.simulated += c.SimulatedUSD
	if c.CostUSD == nil {
		s.unknown = true
		return
	}
	s.cost += *c.CostUSD
}

// properties are the sums, by what their names start with; nil when no model was called.
func (s *sideCosts) properties(prefix string) []property {
	if s.calls == 0 {
		return nil
	}
	all := []property{{prefix + "_cost_usd", costText(s.cost, !s.unknown)}}
	all = append(all, simulatedCost(prefix+"_simulated_usd", s.simulated)...)
	return append(all, property{prefix + "_tokens", strconv.Itoa(s.tokens)},
		property{prefix + "_calls", strconv.Itoa(s.calls)})
}

// judgesOf is the cost of judging a trial, without answers that an earlier trial shares.
func (b *builder) judgesOf(i int) (*result.SideCost, error) {
	brief := b.run.Briefs.At(i)
	if !b.shares || brief.Judges == nil {
		return brief.Judges, nil
	}
	t, err := b.run.Trials.Trial(i)
	if err != nil {
		return nil, fmt.Errorf("trial %s: %w", brief.ID, err)
	}
	return b.judged.Own(t), nil
}

// simulatedCost is the property for the simulated part of a cost; nil: no part is.
func simulatedCost(name string, usd float64) []property {
	if !(usd > 0) {
		return nil
	}
	return []property{{name, costText(usd, true)}}
}

func costText(usd float64, known bool) string {
	if !known {
		return show.Unknown
	}
	return strconv.FormatFloat(math.Round(usd*1e8)/1e8, 'f', -1, 64)
}

func rateText(passed, of int) string {
	return strconv.FormatFloat(float64(passed)/float64(of), 'g', 4, 64)
}
