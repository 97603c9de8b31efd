package claims

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
)

// skippedAll is a scenario whose checks were all skipped so far.
type skippedAll struct {
	judged bool          // one did
	first  *skippedCheck // one that was skipped; nil: none, or one judged
	checks int           // the most in one trial
	places []diag.Pos    // where they are written
}

// checkUse is what is known of a check with a condition.
type checkUse struct {
	when    *checks.When
	judged  bool
	skipped *skippedCheck // though the calls of the whole trial meet the condition; nil: in none
}

type skippedCheck struct {
	kind, why string
	pos       diag.Pos
}

// ExpectCondition expects that the condition of a check, which is written at a place, is not met by calls of other
// turns alone.
func (t *Tracker) ExpectCondition(pos diag.Pos, when *checks.When) {
	if _, known := t.conditions[pos]; !known {
		t.conditions[pos] = &checkUse{when: when}
		t.conditional = append(t.conditional, pos)
	}
}

// observeConditions notes which checks with a condition were judged, and which were skipped although calls of the trial
// meet the condition.
func (t *Tracker) observeConditions(trial *result.Trial) {
	if len(t.conditional) == 0 {
		return
	}
	trial.Checks(func(_, _ int, v *result.Verdict) {
		use := t.conditions[v.Position]
		switch {
		case use == nil || use.judged:
		case v.Status != result.Skipped || trial.Status != result.Passed:
			use.judged = true // or the trial failed, which may be why it was skipped
		case use.skipped == nil && use.when.HoldsFor(calledIn(trial)):
			use.skipped = &skippedCheck{v.Name(), v.SkipReason, v.Position}
		}
	})
}

// calledIn are the names of all tools that were called in a trial.
func calledIn(trial *result.Trial) (names []string) {
	for i := range trial.Turns {
		for k := range trial.Turns[i].ToolCalls {
			names = append(names, trial.Turns[i].ToolCalls[k].Name)
		}
	}
	return names
}

// claimConditions claims that each check with a condition judged something. Of a scenario that nothing judged it is
// said together.
func (t *Tracker) claimConditions(claim Maker) {
	told := map[diag.Pos]bool{}
	for _, s := range t.scenarios {
		if !s.judged && s.first != nil {
			for _, pos := range s.places {
				told[pos] = true
			}
		}
	}
	for _, pos := range t.conditional {
		use := t.conditions[pos]
		one, c := claim("condition", pos, ""), use.skipped
		if one.Met = use.judged; c == nil {
			continue
		}
		one.Settle(use.judged, !told[pos], diag.Diagnostic{
			Severity: diag.Warning, Pos: pos, Width: utf8.RuneCountInString(c.kind), Code: "never-judged",
			Msg: fmt.Sprintf("%s was skipped in every trial, so that it tested nothing (%s), though calls of other turns meet "+
				"its condition", c.kind, c.why),
			Hint: "a when in a turn looks at the calls of that turn alone: move the check to the turn that is meant, or to " +
				"conversation_assertions",
		})
	}
}

// observeSkipped notes whether a check of the trial judged anything.
func (t *Tracker) observeSkipped(trial *result.Trial) {
	s := t.scenarios[trial.Scenario]
	if s == nil {
		s = &skippedAll{}
		t.scenarios[trial.Scenario] = s
	}
	if s.judged {
		return
	}
	n := 0
	trial.Checks(func(_, _ int, v *result.Verdict) {
		n++
		if s.judged = s.judged || v.Status != result.Skipped; !s.judged && s.first == nil {
			s.first = &skippedCheck{v.Type, v.SkipReason, v.Position}
		}
	})
	if n > s.checks {
		s.checks, s.places = n, s.places[:0]
		trial.Checks(func(_, _ int, v *result.Verdict) { s.places = append(s.places, v.Position) })
	}
	for i := range trial.Evals {
		s.judged = s.judged || !trial.Evals[i].Skipped
	}
	if s.judged = s.judged || trial.Status != result.Passed; s.judged {
		s.first, s.places = nil, nil
	}
}

// claimJudged claims that not every check of a scenario is skipped in every trial: nothing could fail then.
func (t *Tracker) claimJudged(claim Maker) {
	for _, id := range slices.Sorted(maps.Keys(t.scenarios)) {
		s, one := t.scenarios[id], claim("scenario", diag.Pos{}, id)
		if one.Order -= one.Order % mostOfKind; s.judged || s.first == nil { // the order is that of the ids
			one.Met = s.judged
			continue
		}
		what := "all " + plural.Count(s.checks, "check") + " were"
		if s.checks == 1 {
			what = "its one check was"
		}
		one.Settle(false, true, diag.Diagnostic{
			Severity: diag.Warning, Pos: s.first.pos, Width: utf8.RuneCountInString(s.first.kind), Code: "never-judged",
			Msg: fmt.Sprintf("scenario %q: %s skipped in every trial, so that nothing tested it (%s: %s)", id, what,
				s.first.kind, s.first.why),
			Hint: "add a check without a condition, such as tools_called for the call that must come",
		})
		one.Evidence = s.checks
	}
}
