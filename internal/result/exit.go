package result

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// The exit statuses of a run.
const (
	ExitPassed      = 0
	ExitFailed      = 1   // the agent misbehaved
	ExitUsage       = 2   // the user's files or flags are wrong; nothing was run
	ExitError       = 3   // arena or the world broke
	ExitInterrupted = 130 // stopped by the user; what finished is on disk
)

// Reasons for a red exit status, as fail_on spells them. The first two count always; the others where they are named.
const (
	FailOnAssertion = "assertion_failure"
	FailOnError     = "error"
	FailOnGuardrail = "guardrail" // one fired that does not only monitor
	FailOnSkipped   = "skipped"   // a trial was, as a whole
	FailOnWarning   = "warning"   // there is one, about the files or the run
	FailOnEval      = "eval"      // one missed its threshold, which FailOnAssertion has in it, or could not judge
	FailOnFlaky     = "flaky"     // what failed before passes now, although nothing changed
)

// FailOnWords are the reasons as people write them. Two of them name the same.
var FailOnWords = []string{
	FailOnAssertion, FailOnError, providerError, FailOnGuardrail, FailOnSkipped, FailOnWarning, FailOnEval, FailOnFlaky,
}

const (
	// Regressed is a reason of a later version.
	Regressed = "regressed"
	// AlwaysRed says what no setting changes.
	AlwaysRed = "failed assertions and errors always make a run red"

	providerError = "provider_error" // another word for FailOnError
)

// FailOnReason is the reason that a word of fail_on names.
func FailOnReason(word string) (string, error) {
	switch {
	case word == providerError:
		return FailOnError, nil
	case slices.Contains(FailOnWords, word):
		return word, nil
	case word == Regressed:
		return "", errors.New(Regressed + ": this version of arena does not have that yet")
	}
	err := fmt.Errorf("%q is no reason to fail; expected %s", word, strings.Join(FailOnWords, ", "))
	if near := diag.Nearest(word, FailOnWords); near != "" {
		err = fmt.Errorf("%w\ndid you mean %q?", err, near)
	}
	return "", err
}

// FailsOn reports whether a reason was added to those that always count.
func (r *Run) FailsOn(reason string) bool { return slices.Contains(r.FailOn, reason) }

// Exit is the exit status of the run. An interrupted run always says so.
func (r *Run) Exit(interrupted bool) int {
	switch {
	case interrupted:
		return ExitInterrupted
	case r.ExitZero:
		return ExitPassed
	}
	return r.ExitOfTrials()
}

// ExitOfTrials is the exit status that follows from the trials, without regard to ExitZero and interrupts.
func (r *Run) ExitOfTrials() int {
	switch {
	case r.decisive.Failed > 0,
		r.Summary.Guards != nil && r.Summary.Guards.Fired > 0 && r.FailsOn(FailOnGuardrail),
		r.missedEvals() && r.FailsOn(FailOnEval):
		return ExitFailed
	case r.decisive.Errors+r.decisive.Cancelled > 0,
		r.NotJudged() > 0 && r.FailsOn(FailOnEval):
		return ExitError
	case r.decisive.Skipped > 0 && r.FailsOn(FailOnSkipped),
		r.Summary.Flaky > 0 && r.FailsOn(FailOnFlaky),
		len(r.Warnings) > 0 && r.FailsOn(FailOnWarning):
		return ExitFailed
	}
	return ExitPassed
}

// missedEvals reports whether an eval missed its threshold in a trial whose failure is not tolerated.
func (r *Run) missedEvals() bool {
	for i := range r.Briefs {
		if b := &r.Briefs[i]; b.Evals != nil && b.Evals.Failed > 0 && !b.Tolerated {
			return true
		}
	}
	return false
}

// NotJudged counts the results of evals without a threshold that could not judge. They decide nothing by themselves. An
// eval with a threshold that cannot judge makes its trial an error.
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
