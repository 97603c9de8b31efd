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
	case result.Undecided:
		return "?"
	default: // Errored; and Unset, which never passes
		return "!"
	}
}

// Unfinished is the number of planned trials without a verdict: stopped, or never started.
func Unfinished(run *result.Run) int { return run.Unfinished() }

// EndedBy is the flag that ended a run before all trials had run; "": none did.
func EndedBy(run *result.Run) string {
	failures := run.Summary.Failed + run.Summary.Errors
	switch {
	case run.Spec == nil || Unfinished(run) == 0:
		return ""
	case run.Spec.MaxTrials > 0 && strings.Contains(run.OverBudget, "--max-trials"):
		return fmt.Sprintf("--max-trials %d", run.Spec.MaxTrials)
	case run.Spec.MaxCost > 0 && run.Briefs.Any(func(b *result.Brief) bool { return b.OverBudget }):
		return fmt.Sprintf("--max-cost %g", run.Spec.MaxCost)
	case run.Spec.FailFast && failures > 0:
		return "--fail-fast"
	case run.Spec.MaxFailures > 0 && failures >= run.Spec.MaxFailures:
		return fmt.Sprintf("--max-failures %d", run.Spec.MaxFailures)
	}
	return ""
}

// Planned is the number of trials in the plan.
func Planned(run *result.Run) int { return max(run.Planned, run.Summary.Trials) }

// Errors counts errors: 1 error, 2 errors.
func Errors(n int) string { return Plural(n, "error") }

// Headline is the run in one line: "22 of 24 trials passed, 1 failed, 1 error".
func Headline(run *result.Run) string {
	s := &run.Summary
	if s.Groups != nil && AnyEarly(run) {
		return groupHeadline(run)
	}
	parts := []string{fmt.Sprintf("%s of %s passed", Count(s.Passed), Plural(Planned(run), "trial"))}
	add := func(n int, text string) {
		if n > 0 {
			parts = append(parts, text)
		}
	}
	add(s.Failed, Count(s.Failed)+" failed")
	add(s.Errors, Errors(s.Errors))
	add(s.Skipped, Count(s.Skipped)+" skipped"+FailOnMark(run, result.FailOnSkipped))
	add(Unfinished(run), Count(Unfinished(run))+" not finished")
	if note := Excused(s); note != "" {
		parts[1] += note
	}
	return strings.Join(append(parts, RunNotes(run)...), ", ")
}

// GroupVerdict is the start of the headline of a run with groups whose trials may end early.
func GroupVerdict(run *result.Run) string {
	s, c := &run.Summary, run.Summary.Groups
	return strings.Join(groupParts(run, s, c), ", ")
}

// groupHeadline is Headline for a run with groups whose trials may end early: "21 of 24 scenarios passed, 1 failed,
// 2 undecided".
func groupHeadline(run *result.Run) string {
	s, c := &run.Summary, run.Summary.Groups
	parts := groupParts(run, s, c)
	parts = append(parts, Plural(s.Ended(), "trial"))
	if s.NotNeeded > 0 {
		parts = append(parts, Count(s.NotNeeded)+" trials not needed")
	}
	if n := Unfinished(run); n > 0 {
		parts = append(parts, Count(n)+" not finished")
	}
	return strings.Join(append(parts, RunNotes(run)...), ", ")
}

func groupParts(run *result.Run, s *result.Summary, c *result.GroupCounts) []string {
	parts := []string{fmt.Sprintf("%s of %s passed", Count(c.Passed), Plural(c.Groups, "scenario"))}
	add := func(n int, text string) {
		if n > 0 {
			parts = append(parts, Count(n)+text)
		}
	}
	add(c.Failed, " failed")
	undecided := " undecided"
	if s.Allowed > 0 {
		undecided += fmt.Sprintf(" (%s allowed)", Count(s.Allowed))
	}
	add(c.Undecided, undecided)
	if c.Errors > 0 {
		parts = append(parts, Errors(c.Errors))
	}
	add(c.Skipped, " skipped"+FailOnMark(run, result.FailOnSkipped))
	add(c.Cancelled, " not run")
	return parts
}

// Excused counts failed trials that do not make the run red: " (2 tolerated, 1 known)"; "": none.
func Excused(s *result.Summary) string {
	var parts []string
	if s.Tolerated > 0 {
		parts = append(parts, Count(s.Tolerated)+" tolerated")
	}
	if s.Known > 0 {
		parts = append(parts, Count(s.Known)+" known")
	}
	if s.Quarantined > 0 {
		parts = append(parts, Count(s.Quarantined)+" in quarantine")
	}
	return inParentheses(strings.Join(parts, ", "))
}

// FailOn is the mark that FailOnMark adds.
const FailOn = " (fail_on)"

// FailOnMark is the suffix of a count that makes the run fail because fail_on names it; "" for others.
func FailOnMark(run *result.Run, reason string) string {
	if run.FailsOn(reason) {
		return FailOn
	}
	return ""
}

// RunNotes count the trials that broke within gates that passed, the flaky trials, the trials that were kept when the
// run was resumed, and the warnings. Where fail_on names them, they count guardrails that fired and eval results that
// could not be judged. They also say whether the exit code is always 0.
func RunNotes(run *result.Run) (all []string) {
	if n := run.BrokenInGates(); n > 0 {
		all = append(all, brokeWithin(run, n)+FailOnMark(run, result.FailOnError))
	}
	if s := &run.Summary; s.Flaky > 0 {
		all = append(all, Count(s.Flaky)+" flaky: failed before"+FailOnMark(run, result.FailOnFlaky))
	}
	if s := &run.Summary; s.Before > 0 {
		now := max(0, s.Ended()-s.Before)
		all = append(all, fmt.Sprintf("%s from before, %s run now", Count(s.Before), Count(now)))
	}
	if n := run.FlakyGroups(); n > 0 && run.FailsOn(result.FailOnFlaky) {
		all = append(all, fmt.Sprintf("trials of %s both passed and failed", Plural(n, "scenario"))+FailOn)
	}
	if n := run.Summary.Guards; n != nil && n.Fired > 0 && run.FailsOn(result.FailOnGuardrail) {
		all = append(all, Plural(n.Fired, "guardrail")+" fired"+FailOnMark(run, result.FailOnGuardrail))
	}
	if n := run.NotJudged(); n > 0 && run.FailsOn(result.FailOnEval) {
		all = append(all, Plural(n, "eval result")+" not judged"+FailOnMark(run, result.FailOnEval))
	}
	if n := len(run.Warnings); n > 0 {
		all = append(all, Plural(n, "warning")+FailOnMark(run, result.FailOnWarning))
	}
	all = append(all, partNotes(run)...)
	all = append(append(all, quarantineNotes(run)...), againstNotes(run)...)
	if run.OnlyExcused() {
		all = append(all, nothingElse(run))
	}
	if run.ExitZero {
		all = append(all, "report only (--exit-zero)")
	}
	return all
}

// brokeWithin says what nothing is red by.
func brokeWithin(run *result.Run, n int) string {
	gates := "passed"
	if run.Summary.Allowed > 0 {
		gates = "passed or may be undecided"
	}
	return Plural(n, "trial") + " broke within gates that " + gates
}

// nothingElse says why a run is not green although all its failures are excused.
func nothingElse(run *result.Run) string {
	if run.Summary.Allowed > 0 {
		return "nothing passed, so nothing is known to work"
	}
	return "nothing else was judged, so nothing is known to work"
}

// partNotes say whether the run is a part of another one, or was put together from parts.
func partNotes(run *result.Run) (all []string) {
	if s := run.Shard; s != nil {
		text := fmt.Sprintf("shard %s of %s", s, Plural(s.Planned, "trial"))
		if run.Planned == 0 {
			text += ", with none of them"
		}
		all = append(all, text)
	}
	if m := run.Merged; m != nil {
		text := "merged from " + Plural(m.Of, "shard")
		if len(m.Shards) < m.Of {
			text = fmt.Sprintf("merged from %d of %s", len(m.Shards), Plural(m.Of, "shard"))
		}
		if len(m.Missing) > 0 {
			text += ", incomplete"
		}
		all = append(all, text)
	}
	return all
}

// maxWarnings is how many warnings of a run are shown at its end; the reports have all of them.
const maxWarnings = 20

// Warnings are the warnings of a run that were not shown before it, each in one line, with the number of those left
// out. told is how many were shown.
func Warnings(run *result.Run, told int) []string {
	rest := run.Warnings[min(told, len(run.Warnings)):]
	var all []string
	for i, text := range rest {
		if i == maxWarnings {
			return append(all, "… and "+Plural(len(rest)-maxWarnings, "more warning"))
		}
		all = append(all, Line(text))
	}
	return all
}

// Tokens is a number of tokens: "41,208 tokens", with "about" when some are estimated.
func Tokens(u result.Usage) string {
	text := Plural(u.Total(), "token")
	if u.Estimated {
		return "about " + text
	}
	return text
}

// TokensOf is the number of tokens of models other than agents.
func TokensOf(c *result.SideCost) string { return Tokens(result.Usage{Usage: c.Usage}) }

// Cost is the cost of the run's agents, with the number of trials that it leaves out and its simulated part: "$0.0187
// simulated (2 trials of unknown price)".
func Cost(s *result.Summary) string {
	text := cost(s.CostUSD, s.SimulatedUSD)
	if s.CostUSD != nil && s.Unpriced > 0 {
		text += fmt.Sprintf(" (%s of %s price)", Plural(s.Unpriced, "trial"), Unknown)
	}
	return text
}

// Expenses are the tokens and costs of agents, models that played users, models of context policies, and judges; nil:
// no model was called.
func Expenses(s *result.Summary) (all []string) {
	judges := s.Judges
	if s.Usage.Calls > 0 || s.Usage.Total() > 0 {
		who := ""
		if len(s.Beside()) > 0 {
			who = "agents "
		}
		all = append(all, who+Tokens(s.Usage), Cost(s))
	}
	if users := s.Users; users != nil {
		all = append(all, "users "+TokensOf(users), cost(users.CostUSD, users.SimulatedUSD))
	}
	if c := s.Context; c != nil {
		all = append(all, "context "+TokensOf(c), cost(c.CostUSD, c.SimulatedUSD))
	}
	if judges != nil {
		all = append(all, "judges "+TokensOf(judges), cost(judges.CostUSD, judges.SimulatedUSD))
	}
	return all
}
