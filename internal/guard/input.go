package guard

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
)

// Input judges what the user says before the model hears it. subject is the conversation before that. When a guardrail
// that acts fires, answered is true and the message of the outcome is the assistant's answer, which cost nothing. When
// none does, the message carries nothing but the records of those that fired: they belong on the model's reply.
func (s *Set) Input(ctx context.Context, subject *checks.Subject, user chat.Message) (o Outcome, answered bool) {
	h := &hearing{before: subject, direction: input}
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
