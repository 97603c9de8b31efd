package metrics

import (
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// trial counts a trial that ended.
func (m *Metrics) trial(t *result.Trial) {
	m.add(&trials, 1, t.Provider, t.Model, t.Status.String())
	t.Checks(func(_, _ int, v *result.Verdict) { m.add(&verdicts, 1, v.Type, v.Status.String()) })
	if len(t.Turns) > 0 && t.Status != result.Skipped {
		m.observe(&trialDuration, t.DurationMS/1000, t.Provider, t.Model)
		m.agentUsage(t)
	}
	for i := range t.Turns {
		m.turn(t, &t.Turns[i])
	}
	t.Judged(m.judgement)
	for i := range t.Evals {
		m.add(&evals, 1, t.Evals[i].ID, outcomeOf(&t.Evals[i]))
	}
}

// started reports whether a TrialStarted came before the end of the trial.
func started(t *result.Trial) bool { return t.Status != result.Cancelled || len(t.Turns) > 0 }

// agentUsage counts the tokens and the cost of the agent.
func (m *Metrics) agentUsage(t *result.Trial) {
	m.add(&calls, float64(t.Usage.Calls), t.Provider, t.Model)
	m.add(&retries, float64(t.Retries), t.Provider, t.Model)
	for kind, n := range kinds(t.Usage.Usage) {
		m.add(&tokens, float64(n), t.Provider, t.Model, kind)
	}
	switch {
	case t.CostUSD != nil:
		m.add(&cost, *t.CostUSD, t.Provider, t.Model)
	case t.Usage.Calls > 0:
		m.add(&unpriced, 1, t.Provider, t.Model)
	}
}

func kinds(u chat.Usage) map[string]int {
	return map[string]int{"input": u.InputTokens, "output": u.OutputTokens, "cached": u.CachedTokens}
}

func (m *Metrics) turn(t *result.Trial, turn *result.Turn) {
	for i := range turn.Messages {
		m.user(turn.Messages[i].Generated)
		m.context(turn.Messages[i].LeftOut)
		if reply := &turn.Messages[i]; reply.Role == chat.Assistant && reply.Usage != nil {
			m.observe(&latency, reply.LatencyMS/1000, t.Provider, t.Model)
		}
	}
	for i := range turn.ToolCalls {
		outcome := "ok"
		if turn.ToolCalls[i].Error != "" {
			outcome = "error"
		}
		m.add(&toolCalls, 1, m.tool(turn.ToolCalls[i].Name), outcome)
		if mode := turn.ToolCalls[i].Injected; mode != "" {
			m.add(&injected, 1, m.tool(turn.ToolCalls[i].Name), mode)
		}
	}
	for i := range turn.Guardrails {
		if f := &turn.Guardrails[i]; f.Verdict.Status == result.Failed {
			m.add(&firings, 1, f.Verdict.Type, string(f.Action))
		}
	}
}

// context counts what a context policy asked a model for a reply; nil: it left out nothing.
func (m *Metrics) context(left *chat.LeftOut) {
	if left == nil || left.Asked == nil {
		return
	}
	c := left.Asked
	m.add(&contextCalls, 1, c.Provider, c.Model)
	for kind, n := range kinds(c.Usage) {
		m.add(&contextTokens, float64(n), c.Provider, c.Model, kind)
	}
	if c.CostUSD != nil && !c.Cached {
		m.add(&contextCost, *c.CostUSD, c.Provider, c.Model)
	}
}

// user counts a message that a model wrote for a user; nil is none.
func (m *Metrics) user(g *chat.Generated) {
	if g == nil {
		return
	}
	m.add(&userCalls, 1, g.Persona, g.Model)
	for kind, n := range kinds(g.Usage) {
		m.add(&userTokens, float64(n), g.Persona, g.Model, kind)
	}
	if g.CostUSD != nil && !g.Cached {
		m.add(&userCost, *g.CostUSD, g.Persona, g.Model)
	}
}

// A model can invent any number of tool names. Names beyond this limit are counted together.
const (
	maxTools   = 500
	otherTools = "other"
)

func (m *Metrics) tool(name string) string {
	name = show.Clean(name)
	if _, known := m.tools[name]; !known {
		if len(m.tools) >= maxTools {
			return otherTools
		}
		m.tools[name] = struct{}{}
	}
	return name
}

// judgement counts a call of a judge. Identical judgements are counted once.
func (m *Metrics) judgement(j *result.Judgement) {
	if !j.Took() {
		return
	}
	if j.Key != "" {
		if _, known := m.judged[j.Key]; known {
			return
		}
		m.judged[j.Key] = struct{}{}
	}
	m.add(&judgeCalls, 1, j.Judge, j.Model)
	for kind, n := range kinds(j.Usage) {
		m.add(&judgeTokens, float64(n), j.Judge, j.Model, kind)
	}
	if j.CostUSD != nil {
		m.add(&judgeCost, *j.CostUSD, j.Judge, j.Model)
	}
}
