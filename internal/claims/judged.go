package claims

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
)

// skippedAll is what is known of a scenario none of whose checks judged anything yet.
type skippedAll struct {
	judged bool          // one did
	first  *skippedCheck // one that was skipped; nil: none, or one judged
	checks int           // the most in one trial
}

type skippedCheck struct {
	kind, why string
	pos       diag.Pos
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
	s.checks = max(s.checks, n)
	for i := range trial.Evals {
		s.judged = s.judged || !trial.Evals[i].Skipped
	}
	if s.judged = s.judged || trial.Status != result.Passed; s.judged {
		s.first = nil
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
