package runner

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/guard"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// guards makes the guardrails of the chosen scenarios' prompts.
func (m *matrix) guards(p *scenario.Project, chosen []*scenario.Scenario) map[*scenario.Prompt]*guard.Set {
	var all map[*scenario.Prompt]*guard.Set
	for _, prompt := range inventory.PromptsOf(p, chosen) {
		set, err := guard.New(boundGuards(prompt.Validators, inventory.Sample))
		if err != nil {
			m.diags.Errorf(prompt.Pos, 1, "bad-guardrail", "prompt %s: %v", prompt.TaskType, err)
			continue
		}
		if set == nil {
			continue
		}
		if all == nil {
			all = map[*scenario.Prompt]*guard.Set{}
		}
		all[prompt] = set
	}
	return all
}

// checkInput runs the guardrails on the last message, which is the user's. answered is true when a guardrail answered
// in place of the model.
func (s *session) checkInput(ctx context.Context, turn *result.Turn) (answered bool, err error) {
	set := s.stance.guards
	if !set.OnInput() {
		return false, nil
	}
	last := len(s.messages) - 1
	subject := s.subject(turn.Index)
	subject.Messages = s.messages[:last]
	done := s.routeGuardrails(subject)
	o, answered := set.Input(ctx, subject, s.messages[last])
	done()
	s.recordFirings(turn, last, &o)
	if answered {
		o.Message.State = s.stateName()
		s.noteSpeaker()
		s.add(o.Message)
	} else {
		s.inputValidations = o.Message.Validations
	}
	return answered, o.Err
}

// generateReply calls the model, and runs the guardrails while it streams and at the end. It returns the reply as they
// left it, which is the last message then. calls are the tool calls of the turn so far.
func (s *session) generateReply(
	ctx context.Context, turn *result.Turn, req *chat.Request, calls []checks.Call,
) (chat.Message, error) {
	set := s.stance.guards
	if !set.OnOutput() {
		reply, err := s.complete(ctx, req, s.forwardDeltas(nil))
		if err != nil {
			return chat.Message{}, err
		}
		return s.addReply(reply.Message()), nil
	}
	watch := set.Reply()
	var onDelta func(chat.Delta) error
	if req.Stream && watch.Watches() {
		onDelta = watch.OnDelta
		req.Origin.Closing = s.closing()
	}
	reply, err := s.complete(ctx, req, s.forwardDeltas(onDelta))
	if err != nil {
		return chat.Message{}, err
	}
	subject := s.subject(turn.Index)
	subject.Calls = calls
	subject.LatencyMS = &reply.LatencyMS
	done := s.routeGuardrails(subject)
	o := watch.Finish(ctx, subject, reply.Message(), req.MaxTokens)
	done()
	s.recordFirings(turn, len(s.messages), &o)
	return s.addReply(o.Message), o.Err
}

// forwardDeltas passes the pieces of a streamed reply to listeners, except a piece at which a guardrail ends the reply.
func (s *session) forwardDeltas(onDelta func(chat.Delta) error) func(chat.Delta) error {
	if s.onDelta == nil {
		return onDelta
	}
	return func(d chat.Delta) error {
		if onDelta != nil {
			if err := onDelta(d); err != nil {
				return err
			}
		}
		s.onDelta(d)
		return nil
	}
}

// addReply adds a message of the assistant. The first one carries the validations of the user's message.
func (s *session) addReply(m chat.Message) chat.Message {
	m.State = s.stateName()
	s.noteSpeaker()
	if len(s.inputValidations) > 0 {
		m.Validations = append(s.inputValidations, m.Validations...)
		s.inputValidations = nil
	}
	s.add(m)
	return m
}

// recordFirings records what guardrails did to the message at an index of the transcript.
func (s *session) recordFirings(turn *result.Turn, at int, o *guard.Outcome) {
	for i := range o.Firings {
		f := &o.Firings[i]
		f.MessageIndex = at - s.turnStart
		s.recordFiring(turn, f)
		s.emit.guardrailFired(f, at)
	}
	turn.GuardJudgements = append(turn.GuardJudgements, o.Judgements...)
}

// recordFiring is called for every guardrail that fires.
func (s *session) recordFiring(turn *result.Turn, f *result.Firing) {
	turn.Guardrails = append(turn.Guardrails, *f)
}
