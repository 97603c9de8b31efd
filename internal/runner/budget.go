package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// budget starts trials while the money lasts. What a trial may cost is what the dearest trial of the same scenario and
// provider has come to, those included that are kept from before; where none of them was run and paid to its end, at
// least the estimate. Before one has ended, it is the estimate times the highest ratio of cost to estimate of all
// trials so far, and one trial of the scenario and the provider runs at a time; the first one of all runs alone. A
// trial that has started is never ended: what it took is paid, and its verdict is wanted. nil is a budget without a
// limit. It is safe for concurrent use.
type budget struct {
	limit float64 // in US dollars
	calls CallParameters

	mu       sync.Mutex
	changed  *sync.Cond
	agents   float64 // what the agents of trials that have ended cost, and the other models that speak
	mocked   float64 // the part of it that mocks made up
	judges   result.JudgeSum
	aside    float64 // for trials that run
	running  int
	ratio    float64 // the highest of what a trial cost to its estimate; at least 1
	known    bool    // a trial has ended
	accounts map[estimateKey]*account
	dearest  map[*Endpoint]float64 // that a trial of it cost
	over     error                 // why no trial starts any more; nil: they do
}

// rounding is by which part of it sums of costs may miss the limit that they are to reach.
const rounding = 1e-9

// account is what is known of the trials of one scenario with one provider.
type account struct {
	endpoint *Endpoint
	estimate float64
	untold   bool // there is no estimate: its agent has no price, and tells what it spent when it has
	running  int
	ended    bool    // a trial has
	whole    bool    // a trial has that paid for all that it could come to
	most     float64 // that a trial cost
}

// know takes what a trial would cost that shares nothing with others. It reports false where the trial ended early, or
// replies in it were paid for before.
func (a *account) know(out *result.Trial, g grant) bool {
	if out.Status != result.Passed && out.Status != result.Failed {
		return false
	}
	usd, ok := 0.0, true
	if g.paid {
		ok = out.CostUSD != nil || out.Usage.Total() == 0
		if out.CostUSD != nil {
			usd = *out.CostUSD
		}
	}
	for _, c := range append(g.beside(out), result.JudgesOf(out)) {
		if c == nil {
			continue
		}
		if ok = ok && c.CostUSD != nil; ok {
			usd += *c.CostUSD
		}
	}
	out.Judged(func(j *result.Judgement) { ok = ok && !j.Cached })
	fresh := func(messages []chat.Message) bool {
		return !slices.ContainsFunc(messages, func(m chat.Message) bool {
			return m.Cached || m.Generated != nil && m.Generated.Cached ||
				m.LeftOut != nil && m.LeftOut.Asked != nil && m.LeftOut.Asked.Cached
		})
	}
	for i := range out.Turns {
		turn := &out.Turns[i]
		ok = ok && turn.NotRun == "" && fresh(turn.Messages)
		if turn.Composition != nil {
			for k := range turn.Composition.Steps {
				for m := range turn.Composition.Steps[k].Said {
					ok = ok && !m.Cached
				}
			}
		}
	}
	if out.Status == result.Failed { // a judge may not have been asked any more
		out.Checks(func(_, _ int, v *result.Verdict) { ok = ok && !v.Skipped })
	}
	if ok {
		a.ended, a.whole, a.most = true, true, max(a.most, usd)
	}
	return ok
}

// needs is what a trial may cost.
func (b *budget) needs(a *account) float64 {
	switch {
	case a.whole:
		return a.most
	case a.ended:
		return max(a.most, a.estimate)
	case a.untold:
		return max(a.estimate*b.ratio, b.dearest[a.endpoint])
	}
	return a.estimate * b.ratio
}

// source says from where it is known what a trial may cost.
func (b *budget) source(a *account) string {
	switch {
	case a.ended && a.most >= b.needs(a):
		return "as much as the dearest one of its scenario and provider"
	case a.untold && b.dearest[a.endpoint] >= b.needs(a):
		return "as much as the dearest one of its provider"
	case b.ratio > 1 && !a.ended:
		return "by the lengths of its texts and by what others came to"
	}
	return "by the lengths of its texts"
}

// waits reports whether a trial has to wait until it is known what others cost.
func (b *budget) waits(a *account) bool {
	return !a.ended && a.running > 0 || !b.known && b.running > 0
}

// estimateKey is what trials of the same estimate share.
type estimateKey struct {
	scenario *scenario.Scenario
	endpoint *Endpoint
}

// grant is the money that is set aside for a trial.
type grant struct {
	account *account // nil: none is
	usd     float64
	paid    bool // the agent is called for money
	users   bool // models that play users are
	context bool // models are that the context policy asks
}

func (t *Trial) granted(a *account, usd float64) grant {
	return grant{account: a, usd: usd, paid: t.paysAgent(), users: t.paysUsers(), context: t.paysContext()}
}

// beside are the costs of the models that are called for money besides the agent and the judges.
func (g grant) beside(out *result.Trial) (all []*result.SideCost) {
	if g.users && out.Users != nil {
		all = append(all, out.Users)
	}
	if g.context && out.Context != nil {
		all = append(all, out.Context)
	}
	return all
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

// admit waits until it is certain whether the money for a trial is there. It returns why the trial may not
// start: the cause of ctx, or that the money is not there. After that no trial starts.
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
		fits := b.spent()+b.aside+needs <= b.limit*(1+rounding)
		if a.untold && !a.ended { // it costs something
			fits = fits && b.spent()+b.aside < b.limit
		}
		switch {
		case fits && !b.waits(a):
			b.aside, b.running, a.running = b.aside+needs, b.running+1, a.running+1
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
		usd, unpriced := costOf(plan.Estimate(t, b.calls)) // Affords has refused models without a price
		a = &account{endpoint: t.Endpoint, estimate: usd, untold: len(unpriced) > 0}
		if known := plan.known[key]; known != nil {
			a.ended, a.whole, a.most = known.ended, known.whole, known.most
		}
		b.accounts[key] = a
	} else if t.row > 0 {
		usd, _ := costOf(plan.Estimate(t, b.calls))
		a.estimate = max(a.estimate, usd) // rows differ in length
	}
	return a
}

// spent is what the trials that have ended cost.
func (b *budget) spent() float64 {
	if j := b.judges.Total(); j != nil && j.CostUSD != nil {
		return b.agents + *j.CostUSD
	}
	return b.agents
}

// simulated is the part of what was spent that mocks made up.
func (b *budget) simulated() float64 {
	if j := b.judges.Total(); j != nil && j.CostUSD != nil {
		return b.mocked + j.SimulatedUSD
	}
	return b.mocked
}

// isOver reports whether more was spent than the limit allows: a trial came to more than was set aside for it.
func (b *budget) isOver() bool { return b != nil && b.spent() > b.limit*(1+rounding) }

// settle books what a trial cost for which g was set aside.
func (b *budget) settle(g grant, out *result.Trial) {
	if g.account == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.changed.Broadcast()
	a, before := g.account, b.spent()
	b.aside, b.running, a.running, a.ended = b.aside-g.usd, b.running-1, a.running-1, true
	if b.running == 0 {
		b.aside = 0 // without what rounding left
	}
	if !b.book(out, g) && b.over == nil {
		b.over = unpricedError{b.limit, out.ID}
	}
	cost := b.spent() - before
	a.most, b.known = max(a.most, cost), true
	b.dearest[a.endpoint] = max(b.dearest[a.endpoint], cost)
	a.know(out, g)
	if a.estimate > 0 {
		b.ratio = max(b.ratio, cost/a.estimate)
	}
}

// book adds what the agent and the models beside it, where they are paid, and the judges of a trial cost. It reports
// whether all of that is known.
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
	for _, c := range g.beside(out) {
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

// paysAgent reports whether the agent of a trial is called, by a client that has a price: not one that was recorded.
func (t *Trial) paysAgent() bool {
	return t.Recorded == nil && t.Finished == nil && t.Endpoint.Spec.Type != scenario.ReplayType
}

// Mocked reports whether a mock answers, or has answered, so that nobody pays what the replies cost. What a recording
// tells of was paid once.
func (t *Trial) Mocked() bool {
	if t.Finished != nil {
		return t.Finished.Brief.Simulated
	}
	return t.paysAgent() && t.Endpoint.Simulated
}

// costError is why a trial is not started for which the money is not there.
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

// unpricedError is why no trial is started after one whose cost nobody knows.
type unpricedError struct {
	limit float64
	trial string
}

func (e unpricedError) Error() string {
	return fmt.Sprintf("what the trial %s cost is not known, so that --max-cost %g cannot be held", e.trial, e.limit)
}

// isOverBudget reports whether an error comes from a budget.
func isOverBudget(err error) bool {
	_, tooDear := errors.AsType[costError](err)
	_, unpriced := errors.AsType[unpricedError](err)
	_, tooMany := errors.AsType[trialsError](err)
	return tooDear || unpriced || tooMany
}

func dollars(v float64) string { return fmt.Sprintf("$%.4f", max(v, 0)) }

// costOf sums the costs of expenses. unpriced are the models whose price is not known.
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

// Affords reports what keeps a limit of costs from being held: models without a known price, and a limit that pays for
// no trial.
//
// kept says that some replies may cost nothing because they are kept on disk. goesOn says that the run goes on with
// another one, of which no trial may be left to pay for, or what they cost is known: only prices are asked for.
func (p *Plan) Affords(limit float64, calls CallParameters, kept, goesOn bool, d *diag.List) {
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
				d.Errorf(spec.Pos, 1, "unknown-price", "the price of %s is not known, so that --max-cost cannot be held",
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

// learnCost takes what a trial cost that is kept from before, for those of its kind.
func (p *Plan) learnCost(t *result.Trial) {
	if t.Index >= p.Len() {
		return
	}
	planned := p.Trial(t.Index)
	key := estimateKey{planned.Scenario, planned.Endpoint}
	a := cmp.Or(p.known[key], &account{})
	if a.know(t, planned.granted(nil, 0)) {
		if p.known == nil {
			p.known = map[estimateKey]*account{}
		}
		p.known[key] = a
	}
}
