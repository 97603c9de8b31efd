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
	FailOnGuardrail = "guardrail" // one fired that does not only monitor
	FailOnEval      = "eval"      // one missed its threshold; FailOnAssertion has those in it
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
	case r.Summary.Guards != nil && r.Summary.Guards.Fired > 0 && on(FailOnGuardrail):
		return ExitFailed
	case r.missedEvals() && on(FailOnEval):
		return ExitFailed
	case r.tally[Errored]+r.tally[Cancelled] > 0 && on(FailOnError):
		return ExitError
	case r.tally[Skipped] > 0 && on(FailOnSkipped):
		return ExitFailed
	}
	return ExitPassed
}

// missedEvals reports whether an eval missed its threshold in a trial that its group does not tolerate.
func (r *Run) missedEvals() bool {
	for i := range r.Briefs {
		if b := &r.Briefs[i]; b.Evals != nil && b.Evals.Failed > 0 && !b.Tolerated {
			return true
		}
	}
	return false
}
