package result

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evidence"
)

// The exit statuses of a run.
const (
	ExitPassed      = 0
	ExitFailed      = 1   // the agent failed a test
	ExitUsage       = 2   // the user's files or flags are wrong; nothing was run
	ExitError       = 3   // arena, a provider or the network failed
	ExitInterrupted = 130 // stopped by the user; what finished is on disk
)

// The reasons for an exit status other than 0, as fail_on spells them. The first two always count, the others when
// fail_on names them.
const (
	FailOnAssertion = "assertion_failure"
	FailOnError     = "error"     // if named, also trials that broke within passed gates
	FailOnGuardrail = "guardrail" // a guardrail fired, other than one that only monitors
	FailOnSkipped   = "skipped"   // a whole trial was skipped
	FailOnWarning   = "warning"   // there is a warning about the files or the run
	FailOnEval      = "eval"      // an eval missed its threshold, which FailOnAssertion includes, or could not judge
	FailOnFlaky     = "flaky"     // trials with the same input passed and failed, in this or earlier runs
	FailOnRegressed = "regressed" // the run is evidence that the agent is worse than the baseline
)

// FailOnWords are the words that fail_on takes. Two of them mean the same.
var FailOnWords = []string{
	FailOnAssertion, FailOnError, providerError, FailOnGuardrail, FailOnSkipped, FailOnWarning, FailOnEval, FailOnFlaky,
	FailOnRegressed,
}

const (
	// AlwaysRed names the reasons that always count.
	AlwaysRed = "failed assertions and errors always make a run red"

	providerError = "provider_error" // another word for FailOnError
)

// FailOnReason returns the reason for a word of fail_on.
func FailOnReason(word string) (string, error) {
	switch {
	case word == providerError:
		return FailOnError, nil
	case slices.Contains(FailOnWords, word):
		return word, nil
	}
	err := fmt.Errorf("%q is no reason to fail; expected %s", word, strings.Join(FailOnWords, ", "))
	if near := diag.Nearest(word, FailOnWords); near != "" {
		err = fmt.Errorf("%w\ndid you mean %q?", err, near)
	}
	return "", err
}

// FailsOn reports whether fail_on added a reason.
func (r *Run) FailsOn(reason string) bool { return slices.Contains(r.FailOn, reason) }

// Exit returns the exit status of the run. An interrupted run always has ExitInterrupted.
func (r *Run) Exit(interrupted bool) int {
	switch {
	case interrupted:
		return ExitInterrupted
	case r.ExitZero:
		return ExitPassed
	}
	return r.ExitOfTrials()
}

// ExitOfTrials returns the exit status that follows from the status of the run. It ignores ExitZero and interrupts.
func (r *Run) ExitOfTrials() int {
	switch r.Status {
	case Passed, Skipped:
		return ExitPassed
	case Failed:
		return ExitFailed
	case Undecided:
		if r.undecided == 0 && r.allowed > 0 { // one part of a run: the others may have judged more
			return ExitPassed
		}
		return ExitFailed
	default: // Errored, Cancelled; and Unset, which never passes
		return ExitError
	}
}

// Settle derives the status of the run from its trials, its warnings and fail_on. It is the only place that does. A
// finished run is settled by its collector; a run that gets warnings later is settled again.
func (r *Run) Settle() { r.Status = r.settled() }

func (r *Run) settled() Status {
	switch {
	case r.decisive.Failed > 0, len(r.Overdue()) > 0, r.redBy(FailOnGuardrail), r.redBy(FailOnEval) && r.missedEvals(),
		r.regressed():
		return Failed
	case r.decisive.Errors > 0, r.redBy(FailOnEval), r.redBy(FailOnRegressed), r.redBy(FailOnError):
		return Errored
	case r.undecided > 0:
		return Undecided
	case r.decisive.Cancelled > 0, r.Merged.incomplete():
		return Cancelled
	case len(r.RedBy()) > 0:
		return Failed
	}
	return r.ofTrials()
}

// ofTrials is the status of the run without fail_on. Groups that may be undecided count only if there are no others.
func (r *Run) ofTrials() Status {
	status := r.decisive.Status()
	if len(r.Overdue()) > 0 {
		status = worse(status, Failed)
	}
	if r.undecided > 0 {
		return worse(status, Undecided)
	}
	switch {
	case r.OnlyExcused():
		return Errored
	case status == Skipped && r.allowed > 0:
		return Undecided
	}
	return status
}

// OnlyExcused reports whether every judged group is excused or allowed to be undecided: nothing is known to work. For a
// part of a run that is fine.
func (r *Run) OnlyExcused() bool {
	return r.excused+r.allowed > 0 && r.decisive.Status() == Skipped && r.undecided == 0 && r.Shard == nil
}

// RedBy are the reasons of fail_on that apply. They make a run red even if all trials passed.
func (r *Run) RedBy() []string {
	return slices.DeleteFunc(slices.Clone(r.FailOn), func(reason string) bool { return !r.redBy(reason) })
}

// redBy reports whether a reason is in fail_on and applies.
func (r *Run) redBy(reason string) bool {
	if !r.FailsOn(reason) {
		return false
	}
	switch reason {
	case FailOnGuardrail:
		return r.guardFired()
	case FailOnEval:
		return r.missedEvals() || r.NotJudged() > 0
	case FailOnSkipped:
		return r.decisive.Skipped > 0
	case FailOnError:
		return r.BrokenInGates() > 0
	case FailOnFlaky:
		return r.flaky() || r.FlakyGroups() > 0
	case FailOnWarning:
		return len(r.Warnings) > 0
	case FailOnRegressed:
		return r.Shard == nil && (r.regressed() || r.Against.Inconclusive()) // a shard is judged after the merge
	}
	return false // the others are in the status of the trials
}

// guardFired reports whether a guardrail fired that does not only monitor. Scenarios in quarantine do not count.
func (r *Run) guardFired() bool {
	return r.Briefs.Any(func(b *Brief) bool {
		return b.Guards != nil && b.Guards.Fired > 0 && !b.Quarantined()
	})
}

// flaky reports whether a trial failed before and passes now. Scenarios in quarantine do not count.
func (r *Run) flaky() bool {
	return r.Briefs.Any(func(b *Brief) bool { return b.Flaky && !b.Quarantined() })
}

// FlakyGroups counts groups in which trials with the same input both passed and failed. Scenarios in quarantine do not
// count.
func (r *Run) FlakyGroups() (n int) {
	for i := range r.Groups {
		if g := &r.Groups[i]; g.Gate != nil && g.Gate.Flaky != "" && !g.Quarantined {
			n++
		}
	}
	return n
}

// BrokenInGates counts broken trials within gates that passed or may be undecided. Excused scenarios do not count. Such
// trials count against the gate, so they help no verdict; only fail_on makes them red.
func (r *Run) BrokenInGates() (n int) {
	for _, b := range r.Briefs.All() {
		if b.Outvoted && b.Status == Errored && !b.Rejected && !b.Uncounted && b.Excuse == "" {
			n++
		}
	}
	return n
}

// regressed reports whether fail_on asks for regressions, and the run has one.
func (r *Run) regressed() bool {
	return r.FailsOn(FailOnRegressed) && r.Against != nil && r.Against.Verdict == evidence.Regressed
}

// ByFailOn reports whether the run would have another status without fail_on.
func (r *Run) ByFailOn() bool { return r.Status != Unset && r.Status != r.ofTrials() }

// missedEvals reports whether an eval missed its threshold in a trial whose failure is not tolerated.
func (r *Run) missedEvals() bool {
	return r.Briefs.Any(func(b *Brief) bool {
		return b.Evals != nil && b.Evals.Failed > 0 && !b.Tolerated && b.Excuse == ""
	})
}

// NotJudged counts the results of evals without a threshold that could not judge. They do not change the status of a
// trial. An eval with a threshold that cannot judge makes its trial an error.
func (r *Run) NotJudged() int {
	n := 0
	for i := range r.Evals {
		if e := &r.Evals[i]; !e.Gates {
			n += e.Errors
		}
	}
	return n
}

// EvalWarnings warns of evals without a threshold that could not judge. No trial's status shows that.
func (r *Run) EvalWarnings() []diag.Diagnostic {
	var list []diag.Diagnostic
	for i := range r.Evals {
		e := &r.Evals[i]
		if e.Gates || e.Errors == 0 {
			continue
		}
		what := fmt.Sprintf("the eval %q could not judge %d of %d times", e.ID, e.Errors, e.Results)
		if e.Results == 1 {
			what = fmt.Sprintf("the eval %q could not judge", e.ID)
		}
		list = append(list, diag.Diagnostic{
			Severity: diag.Warning, Pos: e.Position, Code: "not-judged",
			Msg: what + ", which only fail_on: [eval] makes red",
		})
	}
	return list
}
