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

// Agents of their own: programs and endpoints that hold the conversation themselves, in the place of a model.

// endAgent ends what the agent of the trial keeps running, and reports whether it ended well. One that did not makes
// the trial an error: what it said may not be all. Only the first call does anything.
func (s *session) endAgent(ctx context.Context) bool {
	notices, err := s.agent.End(context.WithoutCancel(ctx))
	for _, text := range notices {
		s.notice(text)
	}
	if err == nil {
		return true
	}
	if s.out.Error == "" && s.out.Status != result.Cancelled {
		s.out.Error = err.Error()
	}
	return false
}

// ran reports whether the calls of the last reply were made already, by the agent itself: always, or, of one that has
// its tools run, those of which its traces tell.
func (s *session) ran() bool {
	spec := s.trial.Endpoint.Spec
	return spec.RunsTools() || spec.IsAgent() && len(s.toolResults) > 0
}

// told records the calls that an agent made itself, with what it says came of them. Nobody was asked whether they may
// be made, so that no policy and no consent has a say.
func (l *toolLoop) told(calls []chat.ToolCall, results []chat.ToolResult) error {
	if err := l.limits(len(calls)); err != nil {
		return err
	}
	round := l.s.emit.toolRound(calls)
	for i, call := range calls {
		at := slices.IndexFunc(results, func(r chat.ToolResult) bool { return r.ID == call.ID })
		res := chat.ToolResult{ID: call.ID, Name: call.Name}
		if at >= 0 {
			res = unmarked(results[at])
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
	l.s.called(make([]string, len(calls)))
	return nil
}

// keepTaken keeps the calls that a guardrail took out of the last reply, of an agent that had made them already. They
// have no place in the transcript, and checks count them.
func (l *toolLoop) keepTaken() {
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
	var aside diag.List // what selecting finds is told elsewhere
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
