package runner

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// judgeTurn runs the checks of a finished turn.
func (s *session) judgeTurn(ctx context.Context, turn *result.Turn) {
	list := s.trial.Scenario.Turns[turn.Index].Assertions
	if len(list) == 0 {
		return
	}
	subject := s.subject()
	subject.Turn, subject.Start = turn.Index, len(s.messages)-len(turn.Messages)
	subject.Calls = s.calls[len(s.calls)-len(turn.ToolCalls):]
	subject.LatencyMS = lastLatency(turn.Messages)
	measure(subject, turn.Messages)
	turn.Assertions = s.judge(ctx, list, subject)
}

// judgeConversation runs the checks of the whole conversation, the project's before the scenario's.
func (s *session) judgeConversation(ctx context.Context) {
	subject := s.subject()
	subject.Session, subject.Turn, subject.Calls = true, -1, s.calls
	subject.LatencyMS = lastLatency(s.messages)
	measure(subject, s.messages)
	for _, list := range s.conversationChecks() {
		s.out.Conversation = append(s.out.Conversation, s.judge(ctx, list, subject)...)
	}
}

func (s *session) conversationChecks() [2][]scenario.Placed {
	return [2][]scenario.Placed{s.trial.Project.Globals, s.trial.Scenario.Conversation}
}

func (s *session) subject() *checks.Subject {
	elapsed := s.clock.elapsedMS()
	return &checks.Subject{
		Messages: s.messages, AllCalls: s.calls, Variables: s.vars, ElapsedMS: &elapsed, Tools: toolCaller{s},
		Embedder: s.trial.Project.embedder, Strict: s.opts.Strict,
	}
}

// measure fills in cost and tokens of a stretch of the transcript.
func measure(subject *checks.Subject, messages []chat.Message) {
	var sum spend
	for i := range messages {
		if m := &messages[i]; m.Role == chat.Assistant && m.Usage != nil {
			sum.add(&chat.Reply{Usage: *m.Usage, CostUSD: m.CostUSD})
		}
	}
	subject.CostUSD = sum.cost()
	subject.InputTokens, subject.OutputTokens = &sum.usage.InputTokens, &sum.usage.OutputTokens
}

func lastLatency(messages []chat.Message) *float64 {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == chat.Assistant {
			return &messages[i].LatencyMS
		}
	}
	return nil
}

func (s *session) judge(ctx context.Context, list []scenario.Placed, subject *checks.Subject) []result.Verdict {
	out := make([]result.Verdict, len(list))
	for i, c := range list {
		began := s.opts.Now()
		out[i] = compiled(c).Judge(ctx, subject)
		if !s.clock.simulated {
			out[i].DurationMS = milliseconds(s.opts.Now().Sub(began))
		}
	}
	return out
}

// compiled is never nil in a plan: a check that does not compile is a diagnostic, and nothing runs.
func compiled(c scenario.Placed) *checks.Compiled { return c.Compiled.(*checks.Compiled) }

// notEvaluated are the verdicts of checks that had nothing to look at. They never pass.
func notEvaluated(list []scenario.Placed, reason string) []result.Verdict {
	out := make([]result.Verdict, len(list))
	for i, placed := range list {
		c := compiled(placed)
		out[i] = result.Verdict{
			Type: c.Type, Status: result.Cancelled, SkipReason: "not evaluated: " + reason, Message: c.Message,
			Position: c.Pos, PassThreshold: c.PassThreshold,
		}
	}
	return out
}
