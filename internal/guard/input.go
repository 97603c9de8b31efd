package guard

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
)

// Input judges a user's message before it is sent to the model. subject is the conversation before the message. When a
// guardrail that acts fires, answered is true and the message of the outcome is the assistant's answer, which costs
// nothing. Otherwise that message holds only the records of guardrails that fired; they belong to the model's reply.
func (s *Set) Input(ctx context.Context, subject *checks.Subject, user chat.Message) (o Outcome, answered bool) {
	h := &judging{before: subject, direction: input}
	said := chat.Message{Content: user.Content, Parts: user.Parts}
	for _, r := range s.in {
		h.judge(ctx, r, h.about(said))
	}
	var m chat.Message
	for i := range h.fired {
		f := &h.fired[i]
		if f.effect == checks.Records || answered {
			continue
		}
		answered, f.Action = true, result.Blocked
		free := 0.0
		m = chat.Message{
			Role: chat.Assistant, Content: f.text(), FinishReason: filtered, Usage: &chat.Usage{}, CostUSD: &free,
		}
	}
	return h.outcome(m), answered
}
