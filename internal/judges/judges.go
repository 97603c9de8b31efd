// Package judges calls the models that grade for checks. It makes a call as repeatable as the model allows, finds out
// what an endpoint does not support, and asks the same question once.
package judges

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Judge is a model that grades, under a name.
type Judge struct {
	Name     string // of the judge; the provider's id when it has none
	Endpoint *Endpoint
}

// Pool is the judges of one project, as the plan has resolved them. It is immutable and safe for concurrent use.
type Pool struct {
	byUse    map[grading.JudgeUse]Judge
	fallback *Judge // for uses that are not in byUse; may be nil
	memory   *Memory
}

// New returns a pool. Several pools may share a memory.
func New(byUse map[grading.JudgeUse]Judge, memory *Memory) *Pool {
	return &Pool{byUse: byUse, memory: memory}
}

// Single returns judges that are all the same model, whatever name a check uses. It remembers no replies.
func Single(client providers.Provider, provider, model string) grading.Judges {
	spec := &scenario.Provider{Meta: scenario.Meta{ID: provider}, Model: model}
	p := &Pool{fallback: &Judge{Name: provider, Endpoint: NewEndpoint(client, spec, false)}, memory: NewMemory(0)}
	return p.For(chat.Origin{}, nil)
}

// For returns the judges for the checks at one place of the run. With a nil seed the providers choose one.
func (p *Pool) For(origin chat.Origin, seed *int64) grading.Judges {
	return &asker{p, origin, seed, nil}
}

// Observer is called before each call of a model, but not for an answer from memory. The function that it returns,
// which may be nil, is called with the outcome.
type Observer func(spec *scenario.Provider, req *chat.Request) func(*chat.Reply, error)

// Observed is For with an observer, which several goroutines may call at once.
func (p *Pool) Observed(origin chat.Origin, seed *int64, observer Observer) grading.Judges {
	return &asker{p, origin, seed, observer}
}

// NameFor is the name of the judge for a use; "": none.
func (p *Pool) NameFor(use grading.JudgeUse) string {
	judge, _ := (&asker{pool: p}).judge(use)
	return cmp.Or(use.Judge, judge.Name) // the fallback answers under any name
}

// Simulated reports whether all judges are mocks.
func (p *Pool) Simulated() bool {
	for _, s := range p.byUse {
		if !s.Endpoint.simulated {
			return false
		}
	}
	return p.fallback == nil || p.fallback.Endpoint.simulated
}

// asker is the judges for one place of a run.
type asker struct {
	pool     *Pool
	origin   chat.Origin
	seed     *int64
	observer Observer // may be nil
}

// Simulated reports whether all judges of the pool are mocks.
func (d *asker) Simulated() bool { return d.pool.Simulated() }

// ModelFor returns the model of the judge for a use; "": none.
func (d *asker) ModelFor(use grading.JudgeUse) (provider, model string) {
	judge, err := d.judge(use)
	if err != nil {
		return "", ""
	}
	return judge.Endpoint.spec.ID, judge.Endpoint.spec.Model
}

// Source identifies the model and the server that answer for a use. It is "" when there is no judge, and for a
// simulated one.
func (d *asker) Source(use grading.JudgeUse) string {
	judge, err := d.judge(use)
	if err != nil || judge.Endpoint.simulated {
		return ""
	}
	return judge.Endpoint.Source
}

// Mocked reports whether a mock answers for a use, so that its cost is simulated.
func (d *asker) Mocked(use grading.JudgeUse) bool {
	judge, err := d.judge(use)
	return err == nil && judge.Endpoint.mocked()
}

// Ask implements checks.Judges.
func (d *asker) Ask(ctx context.Context, use grading.JudgeUse, q *grading.Question) (grading.Answer, error) {
	judge, err := d.judge(use)
	if err != nil {
		return grading.Answer{Judge: use.Judge, Provider: use.Provider, Model: use.Model}, err
	}
	e := judge.Endpoint
	answer := grading.Answer{Judge: judge.Name, Provider: e.spec.ID, Model: e.spec.Model, Simulated: e.mocked()}
	if use.Judge != "" {
		answer.Judge = use.Judge // the fallback answers under any name
	}
	c := e.newCall(q, d.seed)
	c.observer = d.observer
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
	asked := false // by this caller, and not by another one who asks the same
	reply, named, err := d.pool.memory.reply(ctx, key, func() (chat.Reply, error) {
		asked = true
		return c.complete(grading.Asking(ctx, q))
	})
	answer.Key = named
	if err != nil {
		if took, usd := providers.Spent(err); asked && took != (chat.Usage{}) {
			answer.Key, answer.Usage, answer.CostUSD = "", took, usd // the next one who asks the same pays again
		}
		return answer, err
	}
	answer.Text, answer.FinishReason = reply.Content, reply.FinishReason
	answer.Usage, answer.CostUSD, answer.LatencyMS = reply.Usage, reply.CostUSD, reply.LatencyMS
	answer.Cached, answer.Doubt, answer.Calls = reply.Cached, reply.Doubt, called(&reply)
	if answer.Model == "" {
		answer.Model = reply.Model
	}
	if !answer.Simulated {
		answer.AnsweredBy = reply.Model
	}
	answer.OtherModel = providers.Another(e.spec, reply.Model)
	return answer, nil
}

// called names the tools that a reply calls.
func called(r *chat.Reply) string {
	var names []string
	for i := range r.ToolCalls {
		names = append(names, r.ToolCalls[i].Name)
	}
	return strings.Join(names, ", ")
}

// Recall takes a replayed answer, so that the same question is not asked again.
func (d *asker) Recall(a *grading.Answer) {
	reply := &chat.Reply{
		Content: a.Text, FinishReason: a.FinishReason, Model: cmp.Or(a.AnsweredBy, a.Model), Usage: a.Usage,
		CostUSD: a.CostUSD, LatencyMS: a.LatencyMS, Cached: a.Cached, Doubt: a.Doubt,
	}
	if a.Calls != "" {
		reply.ToolCalls = []chat.ToolCall{{Name: a.Calls}}
	}
	d.pool.memory.recall(a.Key, reply)
}

func (d *asker) judge(use grading.JudgeUse) (Judge, error) {
	if judge, ok := d.pool.byUse[use]; ok {
		return judge, nil
	}
	if d.pool.fallback != nil {
		return *d.pool.fallback, nil
	}
	return Judge{}, fmt.Errorf("%w%s", grading.ErrNoJudge, missingJudge(use))
}

func missingJudge(use grading.JudgeUse) string {
	switch {
	case use.Judge != "":
		return fmt.Sprintf(" under the name %q", use.Judge)
	case use.Provider != "":
		return fmt.Sprintf(" for the provider %q", use.Provider)
	}
	return ""
}
