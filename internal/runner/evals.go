package runner

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// evalTurn runs the evals after a turn, and those after each workflow step in it.
func (s *session) evalTurn(ctx context.Context, subject *checks.Subject) {
	if s.opts.Dispatcher != nil {
		s.dispatchSpoken(ctx, subject, evals.AfterTurn)
		s.evalSteps(ctx, subject) // a worker does not know the workflow
		return
	}
	s.evalSpoken(ctx, evals.AfterTurn, subject)
	s.evalSteps(ctx, subject)
}

// evalEnd runs the evals at the end of the conversation, which is the end of its session too.
func (s *session) evalEnd(ctx context.Context, subject *checks.Subject) {
	if s.opts.Dispatcher != nil {
		s.dispatchSpoken(ctx, subject, evals.SessionEnd, evals.ConversationEnd)
		return
	}
	s.evalSpoken(ctx, evals.SessionEnd, subject)
	s.evalSpoken(ctx, evals.ConversationEnd, subject)
}

// due returns the evals of a set that run in a phase.
func (s *session) due(set evals.Set, phase evals.Phase, turn int) evals.Set {
	return s.only(set.Due(phase, s.sessionID(), turn))
}

// only removes evals from a set that the run does not ask for. It changes the set.
func (s *session) only(due evals.Set) evals.Set {
	if s.opts.Only == nil {
		return due
	}
	return slices.DeleteFunc(due, func(e *evals.Eval) bool { return !slices.Contains(s.opts.Only, e.ID) })
}

// eval runs evals that are due. Evals that look at results of others run last, and see all of these; of each other they
// see those before them in the list.
func (s *session) eval(ctx context.Context, due evals.Set, subject *checks.Subject) {
	if len(due) == 0 {
		return
	}
	verdicts := make([]result.Verdict, len(due))
	subject.Earlier = s.evalResults
	var ahead []int
	for i, e := range due {
		if !e.Check.AsksEarlierEvals() {
			ahead = append(ahead, i)
		}
	}
	for i, v := range s.verdicts(ctx, placedAt(due, ahead), subject, nil) {
		verdicts[ahead[i]] = v
		s.showEval(due[ahead[i]], subject.Turn, &v)
	}
	for i, e := range due {
		if e.Check.AsksEarlierEvals() {
			subject.Earlier = s.evalResults
			verdicts[i] = s.verdicts(ctx, placedAt(due, []int{i}), subject, nil)[0]
			s.showEval(e, subject.Turn, &verdicts[i])
		}
		s.recordEval(e, subject.Turn, &verdicts[i])
	}
	subject.Earlier = s.evalResults
}

func placedAt(due evals.Set, places []int) []scenario.Placed {
	list := make([]scenario.Placed, len(places))
	for i, at := range places {
		list[i] = scenario.Placed{Compiled: due[at].Check}
	}
	return list
}

// recordEval adds what an eval measured to the result.
func (s *session) recordEval(e *evals.Eval, turn int, v *result.Verdict) {
	r := result.EvalResult{
		ID: e.ID, Type: v.Type, Trigger: e.Trigger, Turn: turn, Step: s.judgedStep, Score: v.Score,
		MetricValue: metricValue(v.Details),
		Skipped:     v.Status == result.Skipped || v.Status == result.Cancelled, SkipReason: v.SkipReason, Error: v.Error,
		Message: v.Message, Explanation: v.Explanation, Details: v.Details, MinScore: v.MinScore, MaxScore: v.MaxScore,
		Position: v.Position, DurationMS: v.DurationMS, Judgements: v.Judgements, Metric: e.Metric,
	}
	if e.Gates() {
		r.Status = v.Status
	}
	s.out.Evals = append(s.out.Evals, r)
	s.emit.eval(&r)
}

// showEval makes what an eval measured visible to later evals and checks.
func (s *session) showEval(e *evals.Eval, turn int, v *result.Verdict) {
	seen := checks.EvalResult{
		ID: e.ID, Type: v.Type, Turn: turn, Error: v.Error, Skipped: v.Status == result.Skipped ||
			v.Status == result.Cancelled,
	}
	if v.Score != nil {
		seen.Score = *v.Score
	}
	if v.Score != nil || seen.Skipped || seen.Error != "" {
		s.evalResults = append(s.evalResults, seen)
	}
}

// evalNames are the evals of the agent, and the types of its guardrails.
func (s *session) evalNames() (names []checks.EvalName, guards []string) {
	for _, e := range s.evalSet() {
		names = append(names, checks.EvalName{ID: e.ID, Type: e.Type, Trigger: e.Trigger})
	}
	if prompt := s.stance.prompt; prompt != nil && len(names) > 0 {
		for _, v := range prompt.Validators {
			if c, ok := inventory.Sample(v.Compiled).(*checks.Compiled); ok && v.Enabled {
				guards = append(guards, c.Type)
			}
		}
	}
	return names, guards
}

// metricValue returns the number that a check reports beside its score; nil: none.
func metricValue(details map[string]any) *float64 {
	switch v := details["metric_value"].(type) {
	case float64:
		return &v
	case int:
		return new(float64(v))
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return &f
		}
	}
	return nil
}
