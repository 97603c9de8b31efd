package runner

import (
	"cmp"
	"slices"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// estimateKey is equal for trials that share one account.
type estimateKey struct {
	scenario *scenario.Scenario
	endpoint *Endpoint
}

// account is what is known of the cost of trials of one scenario with one provider, in US dollars.
type account struct {
	endpoint *Endpoint
	estimate float64
	noPrice  bool // the agent has no price, so that there is no estimate; it reports itself what it spent
	running  int
	ended    bool    // a trial has ended
	complete bool    // a trial has ended that was paid for completely: none of it came from a cache
	highest  float64 // what the dearest trial cost
}

// learn takes the cost of a trial that ended. It takes nothing and returns false when the trial does not show what one
// costs: it ended early, a part of it was paid for before, or its cost is not known.
func (a *account) learn(out *result.Trial, g grant) bool {
	if out.Status != result.Passed && out.Status != result.Failed || !paidInFull(out) {
		return false
	}
	usd, known := ownCost(out, g)
	if known {
		a.ended, a.complete, a.highest = true, true, max(a.highest, usd)
	}
	return known
}

// ownCost is what a trial cost with its judges. It returns false when a part of it is not known.
func ownCost(out *result.Trial, g grant) (usd float64, known bool) {
	known = true
	if g.paid {
		known = out.CostUSD != nil || out.Usage.Total() == 0
		if out.CostUSD != nil {
			usd = *out.CostUSD
		}
	}
	for _, c := range append(g.sideCosts(out), result.JudgesOf(out)) {
		switch {
		case c == nil:
		case c.CostUSD == nil:
			known = false
		default:
			usd += *c.CostUSD
		}
	}
	return usd, known
}

// paidInFull reports whether a trial took all its turns, asked all its judges, and took no reply from a cache.
func paidInFull(out *result.Trial) bool {
	for range out.PaidEarlier {
		return false
	}
	full := !slices.ContainsFunc(out.Turns, func(t result.Turn) bool { return t.NotRun != "" })
	if out.Status == result.Failed { // a judge may not have been asked any more
		out.Checks(func(_, _ int, v *result.Verdict) { full = full && !v.Skipped })
	}
	return full
}

// grant is the money that is set aside for a trial.
type grant struct {
	account *account // nil: no money is set aside
	usd     float64
	paid    bool // calls of the agent are paid
	users   bool // calls of models that play users are paid
	context bool // calls of models for the context policy are paid
}

func (t *Trial) granted(a *account, usd float64) grant {
	return grant{account: a, usd: usd, paid: t.paysAgent(), users: t.paysUsers(), context: t.paysContext()}
}

// sideCosts are the costs of paid models other than the agent and the judges.
func (g grant) sideCosts(out *result.Trial) (all []*result.SideCost) {
	if g.users && out.Users != nil {
		all = append(all, out.Users)
	}
	if g.context && out.Context != nil {
		all = append(all, out.Context)
	}
	return all
}

// paysAgent reports whether the agent of a trial is called. Recordings and finished trials are not paid again.
func (t *Trial) paysAgent() bool {
	return t.Recorded == nil && t.Finished == nil && t.Endpoint.Spec.Type != scenario.ReplayType
}

// Mocked reports whether a mock answers, or has answered in a finished trial: then nobody pays for the replies. The
// replies of a recording were paid for once.
func (t *Trial) Mocked() bool {
	if t.Finished != nil {
		return t.Finished.Brief.Simulated
	}
	return t.paysAgent() && t.Endpoint.Simulated
}

// unpaid reports whether the tokens of the trial are nobody's: those of a mock, or of a recording, which may not have
// them.
func (t *Trial) unpaid() bool {
	return t.Recorded != nil || t.Endpoint.Spec.Type == scenario.ReplayType || t.Mocked()
}

// learnCost takes the cost of a kept trial, for the other trials of its scenario and provider.
func (p *Plan) learnCost(t *result.Trial) {
	if t.Index >= p.Len() {
		return
	}
	planned := p.Trial(t.Index)
	key := estimateKey{planned.Scenario, planned.Endpoint}
	a := cmp.Or(p.known[key], &account{})
	if a.learn(t, planned.granted(nil, 0)) {
		if p.known == nil {
			p.known = map[estimateKey]*account{}
		}
		p.known[key] = a
	}
}
