package runner

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// stepEvals are the evals that judge the output of a step.
type stepEvals struct {
	named evals.Set // by the step, whatever their trigger
	own   evals.Set // of its prompt: those that fire after every turn
}

func evalsOfStep(p *scenario.Project, s *composition.Step) (e stepEvals) {
	var named []*scenario.Eval
	for _, def := range p.EvalsFor(nil) {
		if slices.Contains(s.Evals, def.ID) {
			named = append(named, def)
		}
	}
	e.named = evals.New(named)
	if prompt := p.PromptOfStep(s); prompt != nil {
		e.own = slices.DeleteFunc(evals.New(p.EvalsFor(prompt)), func(own *evals.Eval) bool {
			return !slices.Contains(prompt.Evals, own.Definition)
		})
	}
	return e
}

// evalOutputs runs the evals on the outputs of the steps of a turn.
func (s *session) evalOutputs(ctx context.Context, turn *result.Turn) {
	if turn.Composition == nil {
		return
	}
	c := s.trial.Project.compositions[turn.Composition.Name]
	if c == nil { // of a run that had another one
		return
	}
	for i := range turn.Composition.Steps {
		step := &turn.Composition.Steps[i]
		spec := c.Step(step.ID)
		if spec == nil || step.Skipped || step.Error != "" {
			continue
		}
		judging := c.evals[step.ID]
		due := slices.Concat(s.only(slices.Clone(judging.named)), s.due(judging.own, evals.AfterTurn, turn.Index))
		if len(due) == 0 {
			continue
		}
		s.judgedStep = step.ID
		s.emit.inStep(step.ID)
		s.eval(ctx, s.boundUnder(s.trial.Project.PromptOfStep(spec), due), s.outputSubject(turn, step))
		s.emit.inStep("")
		s.judgedStep = ""
	}
}

// boundUnder fills in the placeholders of evals with the values that a prompt has.
func (s *session) boundUnder(prompt *scenario.Prompt, set evals.Set) evals.Set {
	if !slices.ContainsFunc(set, func(e *evals.Eval) bool { return inventory.IsOpen(e.Compiled) }) {
		return set
	}
	st := stance{prompt: prompt, evals: set, openEvals: true}
	st.bind(valuesUnder(s.trial, prompt))
	return st.evals
}

// outputSubject is what evals see of a step: its own messages and calls. For a step without known messages its output
// is the reply.
func (s *session) outputSubject(turn *result.Turn, step *result.Step) *checks.Subject {
	o := s.subject(turn.Index)
	o.Messages, o.Start = step.Messages, 0
	if step.Kind != string(composition.Prompt) && step.Kind != string(composition.Agent) || len(step.Messages) == 0 {
		o.Messages = []chat.Message{
			{Role: chat.User, Content: composition.Text(step.Input)},
			{Role: chat.Assistant, Content: composition.Text(step.Output)},
		}
	}
	o.Calls, o.AllCalls = nil, nil
	for _, call := range s.calls {
		if call.Turn == turn.Index && call.Step == step.ID {
			o.Calls = append(o.Calls, call)
		}
	}
	o.AllCalls = o.Calls
	o.LatencyMS = &step.LatencyMS
	if rec := s.trial.Recorded; rec != nil && rec.File == "" && step.LatencyMS == 0 { // the caller did not say
		o.LatencyMS = nil
	}
	o.Measure(o.Messages)
	return o
}
