package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/arena-evals/arena/internal/result"
)

// budget starts trials while the money lasts (--max-cost). It sets money aside for each trial that it admits:
//
//   - When a trial of the same scenario and provider has ended, what the dearest of them cost; trials that a resumed
//     run keeps count too. When none of those was paid for completely, it is at least the estimate.
//   - Before that, the estimate times the highest ratio of cost to estimate of all trials so far. Of each scenario and
//     provider one such trial runs at a time. The first trial of the run runs alone.
//
// A trial that has started is never stopped: its calls are paid, and its verdict is wanted. A nil budget has no limit.
// It is safe for concurrent use.
type budget struct {
	limit float64 // in US dollars
	calls CallParameters

	mu       sync.Mutex
	changed  *sync.Cond
	agents   float64 // cost of ended trials in US dollars, without their judges
	mocked   float64 // the part of agents that mocks made up
	judges   result.JudgeSum
	reserved float64 // for trials that run now
	running  int
	ratio    float64 // highest ratio of cost to estimate so far; at least 1
	known    bool    // a trial has ended
	accounts map[estimateKey]*account
	dearest  map[*Endpoint]float64 // highest cost of a trial
	over     error                 // why no further trial starts; nil: the budget is not used up
}

// rounding is the relative error that sums of costs may have against the limit.
const rounding = 1e-9

// needs is how much money a trial needs before it starts.
func (b *budget) needs(a *account) float64 {
	switch {
	case a.complete:
		return a.highest
	case a.ended:
		return max(a.highest, a.estimate)
	case a.noPrice:
		return max(a.estimate*b.ratio, b.dearest[a.endpoint])
	}
	return a.estimate * b.ratio
}

// source says, for an error, on what needs is based.
func (b *budget) source(a *account) string {
	switch {
	case a.ended && a.highest >= b.needs(a):
		return "as much as the dearest one of its scenario and provider"
	case a.noPrice && b.dearest[a.endpoint] >= b.needs(a):
		return "as much as the dearest one of its provider"
	case b.ratio > 1 && !a.ended:
		return "by the lengths of its texts and by what others came to"
	}
	return "by the lengths of its texts"
}

// waits reports whether a trial has to wait until the cost of another one is known.
func (b *budget) waits(a *account) bool {
	return !a.ended && a.running > 0 || !b.known && b.running > 0
}

func newBudget(plan *Plan, opts *Options) *budget {
	if opts.MaxCost <= 0 {
		return nil
	}
	b := &budget{
		limit:    opts.MaxCost,
		calls:    CallParameters{Temperature: opts.Temperature, MaxTokens: opts.MaxTokens, Seed: opts.Seed},
		accounts: map[estimateKey]*account{}, dearest: map[*Endpoint]float64{}, ratio: 1, judges: plan.judged,
	}
	b.changed = sync.NewCond(&b.mu)
	return b
}

// admit waits until it is certain whether there is enough money for a trial. When there is not, it returns an error,
// and no further trial starts. When ctx ends, it returns its cause.
func (b *budget) admit(ctx context.Context, plan *Plan, t *Trial) (grant, error) {
	if b == nil || ctx.Err() != nil {
		return grant{}, context.Cause(ctx)
	}
	defer context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.changed.Broadcast()
	})()
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.account(plan, t)
	for ctx.Err() == nil && b.over == nil {
		needs := b.needs(a)
		fits := b.spent()+b.reserved+needs <= b.limit*(1+rounding)
		if a.noPrice && !a.ended { // without a price, a trial still costs something
			fits = fits && b.spent()+b.reserved < b.limit
		}
		switch {
		case fits && !b.waits(a):
			b.reserved, b.running, a.running = b.reserved+needs, b.running+1, a.running+1
			return t.granted(a, needs), nil
		case !fits && b.running == 0:
			b.over = costError{b.limit, b.spent(), needs, b.source(a)}
			b.changed.Broadcast()
		default:
			b.changed.Wait()
		}
	}
	if b.over != nil {
		return grant{}, b.over
	}
	return grant{}, context.Cause(ctx)
}

// account is the account of a trial.
func (b *budget) account(plan *Plan, t *Trial) *account {
	key := estimateKey{t.Scenario, t.Endpoint}
	a := b.accounts[key]
	if a == nil {
		usd, unpriced := costOf(plan.Estimate(t, b.calls)) // ReportMaxCost has refused models without a price
		a = &account{endpoint: t.Endpoint, estimate: usd, noPrice: len(unpriced) > 0}
		if known := plan.known[key]; known != nil {
			a.ended, a.complete, a.highest = known.ended, known.complete, known.highest
		}
		b.accounts[key] = a
	} else if t.row > 0 {
		usd, _ := costOf(plan.Estimate(t, b.calls))
		a.estimate = max(a.estimate, usd) // rows differ in length
	}
	return a
}

// spent is the cost of all ended trials, with their judges.
func (b *budget) spent() float64 {
	if j := b.judges.Total(); j != nil && j.CostUSD != nil {
		return b.agents + *j.CostUSD
	}
	return b.agents
}

// simulated is the part of spent that mocks made up.
func (b *budget) simulated() float64 {
	if j := b.judges.Total(); j != nil && j.CostUSD != nil {
		return b.mocked + j.SimulatedUSD
	}
	return b.mocked
}

// isOver reports whether more was spent than the limit: a trial cost more than was set aside for it.
func (b *budget) isOver() bool { return b != nil && b.spent() > b.limit*(1+rounding) }

// settle books the cost of a trial that ended, and releases the money that was set aside for it.
func (b *budget) settle(g grant, out *result.Trial) {
	if g.account == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.changed.Broadcast()
	a, before := g.account, b.spent()
	b.reserved, b.running, a.running, a.ended = b.reserved-g.usd, b.running-1, a.running-1, true
	if b.running == 0 {
		b.reserved = 0 // removes rounding errors
	}
	if !b.book(out, g) && b.over == nil {
		b.over = unpricedError{b.limit, out.ID}
	}
	cost := b.spent() - before
	a.highest, b.known = max(a.highest, cost), true
	b.dearest[a.endpoint] = max(b.dearest[a.endpoint], cost)
	a.learn(out, g)
	if a.estimate > 0 {
		b.ratio = max(b.ratio, cost/a.estimate)
	}
}

// book adds the cost of a trial with its judges. It returns false when a part of the cost is not known.
func (b *budget) book(out *result.Trial, g grant) bool {
	known := true
	switch {
	case !g.paid:
	case out.CostUSD != nil:
		b.agents += *out.CostUSD
		if out.Simulated {
			b.mocked += *out.CostUSD
		}
	default:
		known = out.Usage.Total() == 0
	}
	for _, c := range g.sideCosts(out) {
		if c.CostUSD != nil {
			b.agents += *c.CostUSD
		}
		b.mocked += c.SimulatedUSD
		known = known && (c.CostUSD != nil || c.Total() == 0)
	}
	b.judges.Add(out)
	j := b.judges.Total()
	return known && (j == nil || j.CostUSD != nil)
}

// costError says that there is not enough money for the next trial.
type costError struct {
	limit, spent, needs float64
	source              string
}

func (e costError) Error() string {
	text := fmt.Sprintf("--max-cost %g leaves %s after %s, and the next trial may cost %s, %s",
		e.limit, dollars(e.limit-e.spent), dollars(e.spent), dollars(e.needs), e.source)
	if e.needs > e.limit*(1+rounding) {
		text += ": it needs a higher limit"
	}
	return text
}

// unpricedError says that the cost of a trial is not known, so that no further trial starts.
type unpricedError struct {
	limit float64
	trial string
}

func (e unpricedError) Error() string {
	return fmt.Sprintf("what the trial %s cost is not known, so --max-cost %g cannot be held", e.trial, e.limit)
}

// isOverBudget reports whether an error comes from a budget.
func isOverBudget(err error) bool {
	_, tooDear := errors.AsType[costError](err)
	_, unpriced := errors.AsType[unpricedError](err)
	_, tooMany := errors.AsType[trialsError](err)
	return tooDear || unpriced || tooMany
}

func dollars(v float64) string { return fmt.Sprintf("$%.4f", max(v, 0)) }
