package runner

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// evalSets returns the evals of each prompt of the chosen scenarios. The key nil is for scenarios without a prompt.
func evalSets(p *scenario.Project, chosen []*scenario.Scenario) map[*scenario.Prompt]evals.Set {
	sets := map[*scenario.Prompt]evals.Set{}
	for prompt := range chosenPrompts(p, chosen) {
		if _, known := sets[prompt]; !known {
			sets[prompt] = evals.New(p.EvalsFor(prompt))
		}
	}
	return sets
}

// eachEval visits the checks of the evals under the prompts of the chosen scenarios.
func eachEval(p *scenario.Project, chosen []*scenario.Scenario, visit func(*checks.Compiled)) {
	for _, e := range usedEvals(p, chosen) {
		eachCompiled(e.Compiled, visit)
	}
}

// evalsOff returns the ids of the evals of a project that are disabled.
func evalsOff(p *scenario.Project) []string {
	var ids []string
	for _, prompt := range append([]*scenario.Prompt{nil}, p.Prompts...) {
		for _, def := range p.EvalsFor(prompt) {
			if !def.Enabled && !slices.Contains(ids, def.ID) {
				ids = append(ids, def.ID)
			}
		}
	}
	return ids
}

// hasGate reports whether an eval can make the scenario fail.
func hasGate(p *scenario.Project, s *scenario.Scenario) bool {
	set := usedEvals(p, []*scenario.Scenario{s})
	return slices.ContainsFunc(set, func(e *evals.Eval) bool { return e.Gates() && canFire(p, e) })
}

// hasMeasures reports whether an eval can run in the scenario.
func hasMeasures(p *scenario.Project, s *scenario.Scenario) bool {
	set := usedEvals(p, []*scenario.Scenario{s})
	return slices.ContainsFunc(set, func(e *evals.Eval) bool { return canFire(p, e) })
}

// canFire reports whether the trigger of an eval can occur: steps need a workflow.
func canFire(p *scenario.Project, e *evals.Eval) bool {
	return evals.PhaseOf(e.Trigger) != evals.AfterStep || p.HasWorkflow()
}

// ReportIdleGates reports evals that can never run. Where one has a threshold, that would always hold, and it is an
// error.
func ReportIdleGates(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	for _, e := range usedEvals(p, chosen) {
		if !canFire(p, e) {
			idleGate(d, e, "never fires: the project has no workflow", "choose another trigger than "+e.Trigger)
		}
	}
	reportStepGates(p, chosen, d)
	reportUnspoken(p, chosen, d)
	for prompt := range chosenPrompts(p, chosen) {
		for _, e := range evals.Off(p.EvalsFor(prompt)) {
			if e.Gates() {
				idleGate(d, e, "is switched off by enabled: false", "switch it on")
			}
		}
	}
}

// reportStepGates reports thresholds of prompts that speak in steps alone, in evals that fire when something else is
// over than a turn.
func reportStepGates(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	if len(p.Compositions) == 0 {
		return
	}
	speaks := map[*scenario.Prompt]bool{}
	for _, s := range chosen {
		start, _ := p.Start(s) // a wrong one is reported
		if start == nil {
			return // any prompt may speak in a conversation that is over
		}
		for _, state := range p.Workflow.Graph.From(start) {
			speaks[p.PromptOf(state)] = true
		}
	}
	told := map[*scenario.Prompt]bool{}
	for _, s := range chosen {
		for _, c := range p.CompositionsFor(s) {
			for step := range c.All() {
				prompt := p.PromptOfStep(step)
				if prompt == nil || speaks[prompt] || told[prompt] {
					continue
				}
				told[prompt] = true
				for _, e := range evals.New(prompt.Evals) {
					if evals.PhaseOf(e.Trigger) != evals.AfterTurn {
						idleGate(d, e, "never fires: its prompt speaks only in steps of compositions",
							"write trigger: every_turn, which judges the output of each step")
					}
				}
			}
		}
	}
}

func idleGate(d *diag.List, e *evals.Eval, why, way string) {
	if !e.Gates() {
		d.Warnf(e.Pos, 1, neverFires, "eval %q %s, so it measures nothing", e.ID, why).
			Hint = way + ", or take the eval out"
		return
	}
	d.Errorf(e.Pos, 1, neverFires, "eval %q has a threshold and %s", e.ID, why).Hint =
		way + ", or take the threshold out"
}

// usedEvals returns the evals of all prompts of the chosen scenarios, each once, in the order of the project.
func usedEvals(p *scenario.Project, chosen []*scenario.Scenario) evals.Set {
	sets := evalSets(p, chosen)
	var used evals.Set
	seen := map[*evals.Definition]bool{}
	for _, prompt := range append([]*scenario.Prompt{nil}, p.Prompts...) {
		for _, e := range sets[prompt] {
			if !seen[e.Definition] {
				seen[e.Definition] = true
				used = append(used, e)
			}
		}
	}
	return used
}

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

// only leaves of a set, which it changes, the evals that the run was asked for.
func (s *session) only(due evals.Set) evals.Set {
	if s.opts.Only == nil {
		return due
	}
	return slices.DeleteFunc(due, func(e *evals.Eval) bool { return !slices.Contains(s.opts.Only, e.ID) })
}

// eval runs evals that are due. Evals that look at results of others run last; they see those before them in the
// list.
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
	}
	for i, e := range due {
		if e.Check.AsksEarlierEvals() {
			subject.Earlier = s.evalResults
			verdicts[i] = s.verdicts(ctx, placedAt(due, []int{i}), subject, nil)[0]
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

// recordEval adds what an eval measured to the result, and makes it visible to later evals and checks.
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
	if v.Score != nil {
		s.evalResults = append(s.evalResults, checks.EvalResult{ID: e.ID, Type: v.Type, Score: *v.Score})
	}
}

// metricValue returns the number that a check reports beside its score; nil when there is none.
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
