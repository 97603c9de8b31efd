package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// cutReason says why a reply of a provider is incomplete; "": it is complete. An agent knows its own limit: max_tokens
// is not sent to it.
func cutReason(m *chat.Message, by *scenario.Provider) string {
	switch {
	case m.FinishReason == "length" && by.IsAgent():
		return "was cut at a limit of its agent"
	case m.FinishReason == "length":
		return "was cut at max_tokens"
	case m.FinishReason == "content_filter":
		return "was cut by a content filter"
	case m.FinishReason == "tool_calls" && len(m.ToolCalls) == 0:
		return "ends with tool calls, but has none"
	case strings.HasPrefix(m.FinishReason, "incomplete"):
		return "is not finished"
	case !chat.Complete(m.FinishReason) && !chat.BrokeOff(m.FinishReason):
		return "ended for a reason that arena does not know"
	}
	return ""
}

// reportCuts warns of incomplete replies, unless a check has judged their finish reason: forbidden text might have
// followed. With --strict such a trial is an error.
func (s *session) reportCuts() {
	number := -1
	for i := range s.out.Turns {
		t := &s.out.Turns[i]
		for at := range t.Messages {
			m := t.Messages[at].Said() // as the model wrote it, before guardrails
			if m.Role != chat.Assistant {
				continue
			}
			number++
			how := cutReason(&m, s.trial.Endpoint.Spec)
			if how == "" || t.Messages[at].Blocked() || s.decided.ends[number] {
				continue
			}
			what := fmt.Sprintf("reply %s (finish reason %s), which no check tests", how, m.FinishReason)
			s.warnOfCut(t.Index, what, s.wayToAsk(t, &m))
		}
		s.reportCutSteps(t)
	}
	for _, d := range s.pending.doubts {
		s.warnOfCut(d.turn, "reply "+d.what, "")
	}
	s.noteJudgeReplies()
}

// wayToAsk says which check looks at the finish reason.
func (s *session) wayToAsk(t *result.Turn, m *chat.Message) string {
	switch {
	case !s.asksWhyEnded():
		return ": add the check finish_reason"
	case len(m.ToolCalls) > 0:
		return ": finish_reason looks at the last reply of a turn, and this one calls tools before that"
	}
	return fmt.Sprintf(": the finish_reason that is there did not decide on it; add one to turn %d", t.Script()+1)
}

// reportCutSteps warns of incomplete replies in the steps of a composition, which no check can see.
func (s *session) reportCutSteps(t *result.Turn) {
	if t.Composition == nil {
		return
	}
	for i := range t.Composition.Steps {
		step := &t.Composition.Steps[i]
		for at := range step.Messages {
			m := step.Messages[at].Said()
			if how := cutReason(&m, s.trial.Endpoint.Spec); how != "" && !step.Messages[at].Blocked() {
				s.warnOfCut(t.Index, fmt.Sprintf("reply in the step %s %s (finish reason %s)", step.ID, how, m.FinishReason), "")
			}
		}
	}
}

// doubt is a reason why a reply may be incomplete.
type doubt struct {
	turn int
	what string
}

func (s *session) warnOfCut(turn int, what, hint string) {
	s.warnOfReply(fmt.Sprintf("turn %d: ", turn+1), what, hint)
}

// warnOfReply warns of an incomplete reply; with --strict the trial is an error. where is only in the error.
func (s *session) warnOfReply(where, what, hint string) {
	if text := "a " + what + hint; !slices.Contains(s.out.Warnings, text) {
		s.out.Warnings = append(s.out.Warnings, text)
	}
	if s.opts.Strict && s.out.Error == "" && s.out.Status != result.Cancelled {
		s.out.Error = where + "the " + what
	}
}

// asksWhyEnded reports whether any check of the trial looks at a finish reason.
func (s *session) asksWhyEnded() bool {
	own := s.conversationChecks()
	lists := [][]scenario.Placed{own[0], own[1]}
	for i := range s.trial.Scenario.Turns {
		lists = append(lists, s.turnChecks(i))
	}
	asks := func(p scenario.Placed) bool { return compiled(p).AsksFinishReason() }
	return slices.ContainsFunc(slices.Concat(lists...), asks) ||
		slices.ContainsFunc(s.stance.evals, func(e *evals.Eval) bool { return e.Check.AsksFinishReason() })
}
