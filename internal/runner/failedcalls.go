package runner

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
)

// failedMeans is a warning that an assertion held because of tool calls that failed.
type failedMeans struct {
	text  string
	calls []int // in the calls of the session
}

// remarkFailedCalls records which assertions held because tool calls failed: the agent may claim to have done what it
// did not.
func (s *session) remarkFailedCalls(ctx context.Context, list []scenario.Placed, verdicts []result.Verdict,
	subject *checks.Subject) {
	for i, placed := range list {
		c := compiled(placed)
		if verdicts[i].Status != result.Passed {
			continue
		}
		if failed := c.OnlyByFailedCalls(ctx, subject); len(failed) > 0 {
			text := c.Type + " is met only by calls of tools that failed: if they must work, add no_tool_errors, or " +
				"no_error: true where a check takes it; if they are meant to fail, add tool_efficiency with max_errors"
			s.pending.byFailures = append(s.pending.byFailures, failedMeans{text, s.callIndexes(failed)})
		}
	}
}

// reportFailedCalls warns of assertions that held because of failed calls, unless a check that depends on failures has
// decided what these calls mean.
func (s *session) reportFailedCalls() {
	for _, held := range s.pending.byFailures {
		if slices.ContainsFunc(held.calls, func(at int) bool { return !s.decided.failures[at] }) {
			s.warnOfVerdict(held.text)
		}
	}
}

// maxRefused is how many different refused calls of a trial are reported.
const maxRefused = 5

// remarkRefusedCalls warns of calls of tools that the agent does not have: maybe it got another tool list than the one
// under test. There is no warning if a check that depends on failed calls has judged them.
func (s *session) remarkRefusedCalls() {
	told := map[string]bool{}
	at := -1
	for i := range s.out.Turns {
		for _, call := range s.out.Turns[i].ToolCalls {
			at++
			if !call.Refused || s.decided.failures[at] || told[call.Error] || len(told) == maxRefused {
				continue
			}
			told[call.Error] = true
			s.warnOfVerdict("the agent called a tool that it does not have: " + say.Reason(call.Error) +
				" (if it is meant to try, add tool_efficiency with max_errors)")
		}
	}
}
