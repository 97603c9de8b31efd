package runner

import (
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
)

// noteReply records retries, doubts and notices of a reply: of the agent, a player, or a model that the context policy
// or a tool calls.
func (s *session) noteReply(e *Endpoint, r *chat.Reply, turn int) {
	s.out.Retries += r.Retries
	if r.Doubt != "" {
		s.pending.doubts = append(s.pending.doubts, doubt{turn, r.Doubt})
	}
	if r.Refused && s.step != nil && s.step.feeds {
		what := "of the step " + s.step.spec.ID + " is a refusal, which the later steps get"
		s.pending.doubts = append(s.pending.doubts, doubt{turn, what})
	}
	if r.Notice != "" {
		s.notice(r.Notice)
	}
	if providers.Another(e.Spec, r.Model) {
		s.notice(result.ServedBy("the provider "+say.Named(e.Spec.ID), e.Spec.Model, r.Model))
	}
}

// noteUnusedCalls notes the tool calls of a reply of which only the text is used. who is the speaker, such as " of the
// persona eve".
func (s *session) noteUnusedCalls(who string, r *chat.Reply, turn int) {
	var names []string
	for i := range r.ToolCalls {
		names = append(names, say.Named(r.ToolCalls[i].Name))
	}
	if len(names) > 0 {
		what := who + " calls a tool (" + strings.Join(names, ", ") + "), and has none"
		s.pending.doubts = append(s.pending.doubts, doubt{turn, what})
	}
}

// noteJudgeReplies records notices in replies of judges.
func (s *session) noteJudgeReplies() {
	s.out.JudgeRemarks(func(text string) { s.warnOfReply("", text, "") }, s.notice)
}
