// Package judges asks the models that grade for checks. It turns a question into a call that is as repeatable as the
// model allows, finds out what an endpoint does not support, and asks the same question once.
package judges

import (
	"context"
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Seat is a judge: a model that grades, under a name.
type Seat struct {
	Name     string // of the judge; the provider's id when it has none
	Endpoint *Endpoint
}

// Pool is the judges of one project, as a plan has resolved them. It is immutable and safe for concurrent use.
type Pool struct {
	seats  map[checks.JudgeUse]Seat
	any    *Seat // for uses that are not in seats; nil: there is none
	memory *Memory
}

// New makes a pool. memory may be shared by several pools.
func New(seats map[checks.JudgeUse]Seat, memory *Memory) *Pool {
	return &Pool{seats: seats, memory: memory}
}

// Of is one model that answers for every judge, whatever a check calls it. It remembers nothing.
func Of(client providers.Provider, provider, model string) checks.Judges {
	spec := &scenario.Provider{Meta: scenario.Meta{ID: provider}, Model: model}
	p := &Pool{any: &Seat{Name: provider, Endpoint: NewEndpoint(client, spec, false)}, memory: NewMemory(0)}
	return p.At(chat.Origin{}, nil)
}

// At is the pool as the checks of one place of the run ask it. A nil seed leaves that choice to the providers.
func (p *Pool) At(origin chat.Origin, seed *int64) checks.Judges { return &desk{p, origin, seed, nil} }

// Watch is told of a call that goes out to a model: not of an answer that was remembered. The function that it returns,
// unless it is nil, is told how the call ended.
type Watch func(spec *scenario.Provider, req *chat.Request) func(*chat.Reply, error)

// Watched is At with somebody who is told of every call. watch is called by several goroutines at once.
func (p *Pool) Watched(origin chat.Origin, seed *int64, watch Watch) checks.Judges {
	return &desk{p, origin, seed, watch}
}

// Simulated reports whether all judges answer without the world.
func (p *Pool) Simulated() bool {
	for _, s := range p.seats {
		if !s.Endpoint.simulated {
			return false
		}
	}
	return p.any == nil || p.any.Endpoint.simulated
}

// desk is a pool at one place of a run.
type desk struct {
	pool   *Pool
	origin chat.Origin
	seed   *int64
	watch  Watch // nil: nobody
}

// Simulated is that of the pool.
func (d *desk) Simulated() bool { return d.pool.Simulated() }

// Seated is the model that answers for a use; "" when there is none.
func (d *desk) Seated(use checks.JudgeUse) (provider, model string) {
	seat, err := d.seat(use)
	if err != nil {
		return "", ""
	}
	return seat.Endpoint.spec.ID, seat.Endpoint.spec.Model
}

// Source tells who answers for a use from who else might: it is the same text as long as that is the same. "" when
// nobody does, or somebody who invents answers.
func (d *desk) Source(use checks.JudgeUse) string {
	seat, err := d.seat(use)
	if err != nil || seat.Endpoint.simulated {
		return ""
	}
	return seat.Endpoint.Source
}

// Ask implements checks.Judges.
func (d *desk) Ask(ctx context.Context, use checks.JudgeUse, q *checks.Question) (checks.Answer, error) {
	seat, err := d.seat(use)
	if err != nil {
		return checks.Answer{Judge: use.Judge, Provider: use.Provider, Model: use.Model}, err
	}
	e := seat.Endpoint
	answer := checks.Answer{Judge: seat.Name, Provider: e.spec.ID, Model: e.spec.Model}
	if use.Judge != "" {
		answer.Judge = use.Judge // one model that sits for all of them
	}
	c := e.newCall(q, d.seed)
	c.watch = d.watch
	c.req.Origin = chat.Origin{
		Scenario: d.origin.Scenario, ScenarioAlias: d.origin.ScenarioAlias, Turn: d.origin.Turn, Judge: answer.Judge,
		Vote: q.Vote,
	}
	if err := c.apply(q.Extra); err != nil {
		return answer, err
	}
	key, err := c.key(q.Vote)
	if err != nil {
		return answer, err
	}
	answer.Key = key.String()
	reply, err := d.pool.memory.once(ctx, key, func() (chat.Reply, error) { return c.complete(checks.Asking(ctx, q)) })
	if err != nil {
		if failed, ok := errors.AsType[*providers.Error](err); ok { // it may have cost something
			answer.Usage, answer.CostUSD = failed.Usage, failed.CostUSD
		}
		return answer, err
	}
	answer.Text, answer.FinishReason = reply.Content, reply.FinishReason
	answer.Usage, answer.CostUSD, answer.LatencyMS = reply.Usage, reply.CostUSD, reply.LatencyMS
	answer.Cached = reply.Cached
	if answer.Model == "" {
		answer.Model = reply.Model
	}
	return answer, nil
}

func (d *desk) seat(use checks.JudgeUse) (Seat, error) {
	if seat, ok := d.pool.seats[use]; ok {
		return seat, nil
	}
	if d.pool.any != nil {
		return *d.pool.any, nil
	}
	return Seat{}, fmt.Errorf("%w%s", checks.ErrNoJudge, wanted(use))
}

func wanted(use checks.JudgeUse) string {
	switch {
	case use.Judge != "":
		return fmt.Sprintf(" under the name %q", use.Judge)
	case use.Provider != "":
		return fmt.Sprintf(" for the provider %q", use.Provider)
	}
	return ""
}
