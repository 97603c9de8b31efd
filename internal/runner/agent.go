package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// Programs and endpoints that hold the conversation themselves, instead of a model.

// endAgent ends the program or connection of the trial's agent, and returns whether it ended well. If not, the trial is
// an error: its last reply may be incomplete. Only the first call has an effect.
func (s *session) endAgent(ctx context.Context) bool {
	notices, err := s.agent.End(context.WithoutCancel(ctx))
	for _, text := range notices {
		s.notice(text)
	}
	if err == nil {
		return true
	}
	switch cause := stopCause(ctx); {
	case s.out.Error != "" || s.out.Status == result.Cancelled:
	case cause != nil: // the run was stopped while the agent ended, which explains its error
		s.out.Status, s.out.Skip = result.Cancelled, cause.Error()
	default:
		s.out.Error = err.Error()
	}
	return false
}

// agentRanCalls reports whether the agent ran the calls of its last reply itself. It did, unless arena runs its tools:
// then only calls in its traces count.
func (s *session) agentRanCalls() bool {
	spec := s.trial.Endpoint.Spec
	return spec.RunsTools() || spec.IsAgent() && len(s.toolResults) > 0
}

// recordAgentCalls records calls that the agent ran itself, with the results that it reports. Tool policy and consent
// do not apply: the calls have happened already.
func (l *toolLoop) recordAgentCalls(calls []chat.ToolCall, results []chat.ToolResult) error {
	if err := l.limits(len(calls)); err != nil {
		return err
	}
	round := l.s.emit.toolRound(calls)
	for i, call := range calls {
		at := slices.IndexFunc(results, func(r chat.ToolResult) bool { return r.ID == call.ID })
		res := chat.ToolResult{ID: call.ID, Name: call.Name}
		if at >= 0 {
			res = withoutMarks(results[at])
		}
		round.started(i)
		round.done(i, &res)
		if f := l.fault(call, 0).rule; f != nil {
			l.s.warnOnce(fmt.Sprintf("turn %d: the agent called %s itself: chaos could not make it fail (%s)", l.at.number+1,
				call.Name, f.Mode))
		}
		l.record(call, res, true)
	}
	l.calls += len(calls)
	l.s.countCalls(make([]string, len(calls)))
	return nil
}

// keepRemovedCalls keeps calls that a guardrail removed from the last reply, though the agent had made them already.
// They are not in the transcript, but checks count them.
func (l *toolLoop) keepRemovedCalls() {
	for _, call := range l.s.ranCalls {
		res := chat.ToolResult{ID: call.ID, Name: call.Name}
		if at := slices.IndexFunc(l.s.toolResults, func(r chat.ToolResult) bool { return r.ID == call.ID }); at >= 0 {
			res = l.s.toolResults[at]
		}
		l.keep(call, &res, false)
	}
	l.s.ranCalls = nil
}

// ReportAgents reports scenarios that the agents of a project cannot take part in, whatever the flags of a run.
func ReportAgents(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	var aside diag.List // other functions report the problems of a selection
	m := newMatrix(PlanOptions{}, &aside)
	defer m.close()
	for _, s := range chosen {
		if s.Skip != "" {
			continue
		}
		chosen := m.selectProviders(p, s)
		for _, spec := range chosen {
			preflight.Agent(s, spec, d)
		}
		preflight.Window(p, s, chosen, scenario.DefaultRegion, d)
	}
}
