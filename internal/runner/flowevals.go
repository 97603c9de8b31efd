package runner

import (
	"context"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// evalSet returns the evals of the prompt that wrote the last reply.
func (s *session) evalSet() evals.Set {
	if s.flow != nil && s.flow.speaker != nil {
		return s.flow.speaker.stance.evals
	}
	return s.stance.evals
}

// evalSpoken runs the evals of a phase. Evals of a prompt judge only what the agent said with it; all others judge
// everything. At the end of a conversation, the evals of all used prompts run, otherwise those of the last one.
func (s *session) evalSpoken(ctx context.Context, phase evals.Phase, subject *checks.Subject) {
	f := s.flow
	var last *speaker
	switch {
	case f != nil && f.ownStates != nil: // the caller asks for the evals of one prompt
		last = &speaker{s.trial.Prompt, s.stance}
		f.speakers = []*speaker{last}
	case f == nil || f.speaker == nil || len(f.speakers) == 1:
		s.eval(ctx, s.answered(s.due(s.evalSet(), phase, subject.Turn), subject), subject)
		return
	default:
		last = f.speaker
	}
	s.eval(ctx, s.answered(last.evals(s.due(last.stance.evals, phase, subject.Turn), false), subject), subject)
	speakers := []*speaker{last}
	if subject.Session {
		speakers = f.speakers
	}
	for _, k := range speakers {
		if own := k.evals(s.due(k.stance.evals, phase, subject.Turn), true); len(own) > 0 {
			under := s.subjectUnder(k.prompt, subject)
			s.eval(ctx, s.withReplies(own, k.prompt, under), under)
		}
	}
}

// withReplies returns the evals that can judge the messages under a prompt. If these are only tool calls, evals of
// replies are skipped.
func (s *session) withReplies(own evals.Set, prompt *scenario.Prompt, under *checks.Subject) evals.Set {
	if slices.ContainsFunc(under.Texts(), func(r checks.Reply) bool { return strings.TrimSpace(r.Text) != "" }) {
		return own
	}
	reason := "no reply came from the prompt " + prompt.TaskType
	return s.skipping(own, under.Turn, reason, func(e *evals.Eval) bool { return e.Check.Needs()&checks.NeedsReply != 0 })
}

// answered returns the evals that can judge a turn. Evals of replies are skipped when the turn ended with tool calls
// and without an answer to the user.
func (s *session) answered(due evals.Set, subject *checks.Subject) evals.Set {
	if subject.Session || subject.Replied() || !subject.HasReply() {
		return due
	}
	return s.skipping(due, subject.Turn, "the turn ended without a reply", func(e *evals.Eval) bool {
		return e.Check.LacksReply(subject)
	})
}

// skipping removes evals from a set, which it changes, and records them as skipped.
func (s *session) skipping(set evals.Set, turn int, reason string, skip func(*evals.Eval) bool) evals.Set {
	return slices.DeleteFunc(set, func(e *evals.Eval) bool {
		if skip(e) {
			v := result.Verdict{Type: e.Type, Status: result.Skipped, Skipped: true, Position: e.Pos, SkipReason: reason}
			s.recordEval(e, turn, &v)
			s.showEval(e, turn, &v)
			return true
		}
		return false
	})
}

// evals returns the evals of the prompt itself (own), or the others.
func (k *speaker) evals(set evals.Set, own bool) evals.Set {
	return slices.DeleteFunc(slices.Clone(set), func(e *evals.Eval) bool {
		return own != (k.prompt != nil && slices.Contains(k.prompt.Evals, e.Definition))
	})
}

// evalSteps runs the evals that fire at transitions, once for each transition of the turn, with the workflow as it was
// then. The evals are those of the entered state.
func (s *session) evalSteps(ctx context.Context, subject *checks.Subject) {
	w := subject.Workflow
	if w == nil {
		return
	}
	for i, step := range w.Transitions {
		if step.Turn != subject.Turn {
			continue
		}
		set := s.stance.evals
		if s.flow != nil && s.flow.graph != nil && s.trial.Recorded == nil {
			if state := s.flow.graph.State(step.To); state != nil { // the workflow of a finished trial may have changed
				set = s.stanceUnder(s.trial.Project.PromptOf(state)).evals
			}
		}
		due := s.answered(s.due(set, evals.AfterStep, subject.Turn), subject)
		if len(due) == 0 {
			continue
		}
		subject.Workflow = &checks.Workflow{Current: step.To, Complete: w.Complete, Transitions: w.Transitions[:i+1]}
		if i+1 < len(w.Transitions) && s.flow != nil {
			subject.Workflow.Complete = s.flow.ends(step.To)
		}
		s.eval(ctx, due, subject)
	}
	subject.Workflow = w
}

// subjectUnder is what the evals of a prompt see of a turn or the conversation: without the replies of other prompts
// and their tool results.
func (s *session) subjectUnder(prompt *scenario.Prompt, whole *checks.Subject) *checks.Subject {
	o := s.subject(whole.Turn)
	o.Session, o.Messages, o.AllCalls, o.Calls = whole.Session, nil, nil, nil
	call, theirs := 0, false
	for i := range s.messages {
		m := &s.messages[i]
		if i == whole.Start {
			o.Start = len(o.Messages)
		}
		switch m.Role {
		case chat.Assistant, chat.System:
			theirs = !s.speaksUnder(prompt, m.State)
		case chat.ToolRole:
			for call < len(s.calls) && s.calls[call].Step != "" { // the conversation does not contain calls of steps
				call++
			}
			if call < len(s.calls) && !theirs {
				o.AllCalls = append(o.AllCalls, s.calls[call])
				if i >= whole.Start {
					o.Calls = append(o.Calls, s.calls[call])
				}
			}
			call++
		case chat.User:
			theirs = false
		}
		if !theirs {
			o.Messages = append(o.Messages, *m)
		}
	}
	said := o.Messages[o.Start:]
	o.LatencyMS = s.measured(chat.LastLatency(said))
	o.Measure(said)
	for last := len(o.Messages) - 1; last >= o.Start && wordless(&o.Messages[last]); last-- {
		o.Messages = o.Messages[:last] // a call, such as the transition out of the state, is not a last reply
	}
	return o
}

// speaksUnder reports whether a state speaks with a prompt.
func (s *session) speaksUnder(prompt *scenario.Prompt, state string) bool {
	if s.flow.ownStates != nil {
		return slices.Contains(s.flow.ownStates, state)
	}
	at := s.flow.graph.State(state)
	return at != nil && s.trial.Project.PromptOf(at) == prompt
}

// wordless reports whether a message is a tool call or its result, without text.
func wordless(m *chat.Message) bool {
	return m.Role == chat.ToolRole || m.Role == chat.Assistant && len(m.ToolCalls) > 0 && len(m.Parts) == 0 &&
		strings.TrimSpace(m.Text()) == ""
}
