package show

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/result"
)

// Sign is the mark of a status.
func Sign(s result.Status) string {
	switch s {
	case result.Passed:
		return "✓"
	case result.Failed:
		return "✗"
	case result.Skipped, result.Cancelled:
		return "-"
	default: // Errored; and Unset, which never passes
		return "!"
	}
}

// Unfinished is how many planned trials have no verdict: stopped, or never started.
func Unfinished(run *result.Run) int {
	return max(run.Planned-run.Summary.Trials, 0) + run.Summary.Cancelled
}

// Planned is how many trials the run was to have.
func Planned(run *result.Run) int { return max(run.Planned, run.Summary.Trials) }

// Errors counts errors: 1 error, 2 errors.
func Errors(n int) string { return Plural(n, "error") }

// Headline is the run in one line: "22 of 24 trials passed, 1 failed, 1 error".
func Headline(run *result.Run) string {
	s := &run.Summary
	parts := []string{fmt.Sprintf("%s of %s passed", Count(s.Passed), Plural(Planned(run), "trial"))}
	add := func(n int, text string) {
		if n > 0 {
			parts = append(parts, text)
		}
	}
	add(s.Failed, Count(s.Failed)+" failed")
	add(s.Errors, Errors(s.Errors))
	add(s.Skipped, Count(s.Skipped)+" skipped")
	add(Unfinished(run), Count(Unfinished(run))+" not finished")
	if s.Tolerated > 0 {
		parts[1] += fmt.Sprintf(" (%s tolerated)", Count(s.Tolerated))
	}
	return strings.Join(parts, ", ")
}

// Tokens is the run's tokens: "41,208 tokens", with "about" when some were guessed.
func Tokens(u result.Usage) string {
	text := Plural(u.Total(), "token")
	if u.Estimated {
		return "about " + text
	}
	return text
}

// Cost is the run's cost with what it leaves out: "$0.0187 (judges $0.0021)".
func Cost(s *result.Summary) string {
	cost := Money(s.CostUSD)
	switch {
	case s.CostUSD == nil:
		cost = "cost " + Unknown
	case s.Unpriced > 0:
		cost += fmt.Sprintf(" (%s of %s price)", Plural(s.Unpriced, "trial"), Unknown)
	}
	if s.JudgeUSD != nil && *s.JudgeUSD > 0 {
		cost += " (judges " + Money(s.JudgeUSD) + ")"
	}
	return cost
}
