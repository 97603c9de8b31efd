package result

import "slices"

// The exit statuses of a run.
const (
	ExitPassed      = 0
	ExitFailed      = 1   // the agent misbehaved
	ExitUsage       = 2   // the user's files or flags are wrong; nothing was run
	ExitError       = 3   // arena or the world broke
	ExitInterrupted = 130 // stopped by the user; what finished is on disk
)

// Reasons for a red exit status, as fail_on spells them.
const (
	FailOnAssertion = "assertion_failure"
	FailOnError     = "error"
	FailOnSkipped   = "skipped"
)

// Exit is the exit status that the run asks for.
func (r *Run) Exit(interrupted bool) int {
	failOn := r.FailOn
	if failOn == nil {
		failOn = []string{FailOnAssertion, FailOnError}
	}
	on := func(reason string) bool { return slices.Contains(failOn, reason) }
	switch {
	case interrupted:
		return ExitInterrupted
	case r.tally[Failed] > 0 && on(FailOnAssertion):
		return ExitFailed
	case r.tally[Errored]+r.tally[Cancelled] > 0 && on(FailOnError):
		return ExitError
	case r.tally[Skipped] > 0 && on(FailOnSkipped):
		return ExitFailed
	}
	return ExitPassed
}
