package runner

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
)

// remarkFailedCalls keeps which assertions held because of tool calls that failed: the agent may say that it did what
// it did not. A check of the trial that depends on failures has decided what they mean.
func (s *session) remarkFailedCalls(ctx context.Context, list []scenario.Placed, verdicts []result.Verdict,
	subject *checks.Subject) {
	for i, placed := range list {
		c := compiled(placed)
		if verdicts[i].Status != result.Passed || !c.OnlyByFailedCalls(ctx, subject) || s.countsFailures() {
			continue
		}
		s.warnOfVerdict(c.Type + " is met only by calls of tools that failed: if they must work, add no_tool_errors, or " +
			"no_error: true where a check takes it; if they are meant to fail, add tool_efficiency with max_errors")
	}
}

// maxRefused is how many different refused calls of a trial are reported.
const maxRefused = 5

// remarkRefusedCalls warns of calls of tools that the agent does not have: it may have been given another list of
// tools, and then its conversation is not the one under test. When a check of the trial depends on failed calls, that
// check decides, and there is no warning.
func (s *session) remarkRefusedCalls() {
	if s.countsFailures() {
		return
	}
	told := map[string]bool{}
	for i := range s.out.Turns {
		for _, call := range s.out.Turns[i].ToolCalls {
			if !call.Refused || told[call.Error] || len(told) == maxRefused {
				continue
			}
			told[call.Error] = true
			s.warnOfVerdict("the agent called a tool that it does not have: " + say.Reason(call.Error) +
				" (if it is meant to try, add tool_efficiency with max_errors)")
		}
	}
}

// countsFailures reports whether an assertion of the scenario depends on tool calls that fail.
func (s *session) countsFailures() bool {
	own := s.conversationChecks()
	lists := [][]scenario.Placed{own[0], own[1]}
	for i := range s.trial.Scenario.Turns {
		lists = append(lists, s.turnChecks(i))
	}
	return slices.ContainsFunc(slices.Concat(lists...), func(p scenario.Placed) bool {
		return compiled(p).CountsFailures()
	})
}
