package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// howCut says how a reply is incomplete; "" when it is not.
func howCut(m *chat.Message) string {
	switch {
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

// reportCuts warns of incomplete replies whose finish reason no check looks at: forbidden text may have come next. With
// --strict such a trial is an error.
func (s *session) reportCuts() {
	for i := range s.out.Turns {
		t := &s.out.Turns[i]
		for at := range t.Messages {
			m := t.Messages[at].Said() // as the model wrote it, before guardrails
			how := howCut(&m)
			if m.Role != chat.Assistant || how == "" || t.Messages[at].Blocked() ||
				s.asksWhyEnded(t.Script(), i == len(s.out.Turns)-1) {
				continue
			}
			what := fmt.Sprintf("reply %s (finish reason %s), which no check tests", how, m.FinishReason)
			s.warnOfCut(t.Index, what, ": add the check finish_reason")
		}
		s.reportCutSteps(t)
	}
	for _, d := range s.doubts {
		s.warnOfCut(d.turn, "reply "+d.what, "")
	}
	s.hearJudges()
}

// reportCutSteps warns of incomplete replies in the steps of a composition, at which no check can look.
func (s *session) reportCutSteps(t *result.Turn) {
	if t.Composition == nil {
		return
	}
	for i := range t.Composition.Steps {
		step := &t.Composition.Steps[i]
		for at := range step.Messages {
			m := step.Messages[at].Said()
			if how := howCut(&m); how != "" && !step.Messages[at].Blocked() {
				s.warnOfCut(t.Index, fmt.Sprintf("reply in the step %s %s (finish reason %s)", step.ID, how, m.FinishReason), "")
			}
		}
	}
}

// doubt is why a reply may be incomplete.
type doubt struct {
	turn int
	what string
}

func (s *session) warnOfCut(turn int, what, hint string) {
	s.warnOfReply(fmt.Sprintf("turn %d: ", turn+1), what, hint)
}

// warnOfReply warns of what a reply lacks; with --strict the trial is an error. where is a part of the error only.
func (s *session) warnOfReply(where, what, hint string) {
	if text := "a " + what + hint; !slices.Contains(s.out.Warnings, text) {
		s.out.Warnings = append(s.out.Warnings, text)
	}
	if s.opts.Strict && s.out.Error == "" && s.out.Status != result.Cancelled {
		s.out.Error = where + "the " + what
	}
}

// asksWhyEnded reports whether a check of a turn of the scenario looks at the finish reason. The checks of the
// conversation see the last turn.
func (s *session) asksWhyEnded(script int, last bool) bool {
	list := s.turnChecks(script)
	if last {
		own := s.conversationChecks()
		list = slices.Concat(list, own[0], own[1])
	}
	if slices.ContainsFunc(list, func(p scenario.Placed) bool { return compiled(p).AsksFinishReason() }) {
		return true
	}
	for _, e := range s.stance.evals {
		if e.Check.AsksFinishReason() {
			return true
		}
	}
	return false
}
