package show

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/sortby"
)

// missedEvals are the evals that fail their trial: they have a threshold, and missed it or could not judge. stopped are
// cancelled ones.
func missedEvals(t *result.Trial) (missed, stopped []Problem) {
	for i := range t.Evals {
		e := &t.Evals[i]
		if !e.Gates() {
			continue
		}
		p := Problem{e.Turn, i, EvalVerdict(e)}
		switch e.Status {
		case result.Passed, result.Skipped:
		case result.Cancelled:
			stopped = append(stopped, p)
		default: // Failed, Errored; and Unset, which never passes
			missed = append(missed, p)
		}
	}
	return missed, stopped
}

// EvalVerdict is the verdict that follows from the threshold of an eval.
func EvalVerdict(e *result.EvalResult) *result.Verdict {
	return &result.Verdict{
		Type: "eval " + e.ID, Status: e.Status, Score: e.Score, SkipReason: e.SkipReason, Error: e.Error,
		Message: e.Message, Explanation: e.Explanation, Details: e.Details, MinScore: e.MinScore, MaxScore: e.MaxScore,
		Position: e.Position, DurationMS: e.DurationMS, Judgements: e.Judgements,
	}
}

// sortByTurn sorts problems by turn. Those of the conversation come last.
func sortByTurn(all []Problem) {
	sortby.Func(all, func(a, b Problem) int {
		switch {
		case a.Turn == b.Turn:
			return 0
		case a.Turn < 0 || b.Turn >= 0 && a.Turn > b.Turn:
			return 1
		}
		return -1
	})
}

// EvalScore is the mean score of an eval, or a dash when it has no score.
func EvalScore(s *result.EvalStats) string {
	if s.Mean == nil {
		return "–"
	}
	return Score(*s.Mean)
}

// EvalNote describes the scores of an eval: their number and range, how many missed the threshold, how often the eval
// was skipped, and why it could not judge.
func EvalNote(s *result.EvalStats) string {
	var parts []string
	if s.Scored > 0 {
		text := Plural(s.Scored, "score")
		if *s.Low != *s.High {
			text += " from " + Score(*s.Low) + " to " + Score(*s.High)
		}
		parts = append(parts, text)
	}
	if s.Failed > 0 {
		parts = append(parts, Count(s.Failed)+" below the threshold")
	}
	if s.Skipped > 0 {
		parts = append(parts, Count(s.Skipped)+" skipped")
	}
	if s.Errors > 0 {
		parts = append(parts, fmt.Sprintf("%s: %s", Errors(s.Errors), Line(s.Error)))
	}
	return strings.Join(parts, ", ")
}
