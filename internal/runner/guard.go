package runner

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/guard"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// guards makes the guardrails of the prompts that the chosen scenarios speak to.
func (m *matrix) guards(p *scenario.Project, chosen []*scenario.Scenario) map[*scenario.Prompt]*guard.Set {
	var all map[*scenario.Prompt]*guard.Set
	for _, prompt := range promptsOf(p, chosen) {
		set, err := guard.New(boundGuards(prompt.Validators, sample))
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

// promptsOf are the prompts of scenarios that are not skipped, each once.
func promptsOf(p *scenario.Project, chosen []*scenario.Scenario) []*scenario.Prompt {
	var list []*scenario.Prompt
	seen := map[*scenario.Prompt]bool{nil: true}
	for _, s := range chosen {
		prompt, err := p.Prompt(s)
		if err != nil || s.Skip != "" || seen[prompt] { // the error is reported with the trials
			continue
		}
		seen[prompt] = true
		list = append(list, prompt)
	}
	return list
}

// eachGuard visits the guardrails of the prompts that the chosen scenarios speak to.
func eachGuard(p *scenario.Project, chosen []*scenario.Scenario, visit func(*checks.Compiled)) {
	for _, prompt := range promptsOf(p, chosen) {
		for _, v := range prompt.Validators {
			if !v.Enabled {
				continue
			}
			eachCompiled(v.Compiled, visit)
		}
	}
}

// hear holds what the user said, the last message, against the guardrails. answered says that one of them has answered
// in place of the model.
func (s *session) hear(ctx context.Context, turn *result.Turn) (answered bool, err error) {
	set := s.stance.guards
	if !set.OnInput() {
		return false, nil
	}
	last := len(s.messages) - 1
	subject := s.subject(turn.Index)
	subject.Messages = s.messages[:last]
	judged := s.guarded(subject)
	o, answered := set.Input(ctx, subject, s.messages[last])
	judged()
	s.bookFirings(turn, last, &o)
	if answered {
		s.add(o.Message)
	} else {
		s.heard = o.Message.Validations
	}
	return answered, o.Err
}

// speak calls the model and holds what it says against the guardrails: while it streams, and at the end. What is left
// of the reply is the last message then. calls are the tool calls of the turn so far.
func (s *session) speak(
	ctx context.Context, turn *result.Turn, req *chat.Request, calls []checks.Call,
) (chat.Message, error) {
	set := s.stance.guards
	if !set.OnOutput() {
		reply, err := s.complete(ctx, req, nil)
		if err != nil {
			return chat.Message{}, err
		}
		return s.say(reply.Message()), nil
	}
	watch := set.Reply()
	var onDelta func(chat.Delta) error
	if req.Stream && watch.Watches() {
		onDelta = watch.OnDelta
		req.Origin.Closing = s.closing()
	}
	reply, err := s.complete(ctx, req, onDelta)
	if err != nil {
		return chat.Message{}, err
	}
	subject := s.subject(turn.Index)
	subject.Calls = calls
	subject.LatencyMS = &reply.LatencyMS
	judged := s.guarded(subject)
	o := watch.Finish(ctx, subject, reply.Message(), req.MaxTokens)
	judged()
	s.bookFirings(turn, len(s.messages), &o)
	return s.say(o.Message), o.Err
}

// say appends a message of the assistant. What fired on the user's words is on the first one.
func (s *session) say(m chat.Message) chat.Message {
	if len(s.heard) > 0 {
		m.Validations = append(s.heard, m.Validations...)
		s.heard = nil
	}
	s.add(m)
	return m
}

// bookFirings books what guardrails made of the message at an index of the transcript.
func (s *session) bookFirings(turn *result.Turn, at int, o *guard.Outcome) {
	for i := range o.Firings {
		f := &o.Firings[i]
		f.MessageIndex = at - s.start
		s.fired(turn, f)
		s.tell.fired(f, at)
	}
	turn.GuardJudgements = append(turn.GuardJudgements, o.Judgements...)
}

// fired is where every guardrail that fires comes by.
func (s *session) fired(turn *result.Turn, f *result.Firing) {
	turn.Guardrails = append(turn.Guardrails, *f)
}
