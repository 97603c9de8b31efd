package show

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// Problem is a verdict that keeps its trial from passing, and the turn that it belongs to.
type Problem struct {
	Turn  int // index of the turn; -1: the conversation
	Index int // among the checks of that turn
	*result.Verdict
}

// Problems lists the checks that failed or could not judge, and the evals that missed their threshold. Checks that were
// cancelled are listed only when nothing else is wrong. Checks of a turn that had an error are left out, unless they
// failed: the error says why they could not judge.
func Problems(t *result.Trial) []Problem {
	broken := map[int]bool{-1: t.Error != ""}
	for i := range t.Turns {
		broken[t.Turns[i].Index] = t.Turns[i].Error != ""
	}
	var all, stopped []Problem
	t.Checks(func(turn, i int, v *result.Verdict) {
		p := Problem{turn, i, v}
		switch {
		case v.Status == result.Passed || v.Status == result.Skipped:
		case v.Status == result.Cancelled:
			stopped = append(stopped, p)
		case v.Status == result.Failed || t.Error == "" || !broken[turn]:
			all = append(all, p)
		}
	})
	missed, stoppedEvals := missedEvals(t)
	all, stopped = append(all, missed...), append(stopped, stoppedEvals...)
	sortByTurn(all)
	if len(all) == 0 && t.Error == "" {
		return stopped
	}
	return all
}

// TurnLabel names a turn by its number, from 1. A negative index is the conversation.
func TurnLabel(turn int) string {
	if turn < 0 {
		return "conversation"
	}
	return fmt.Sprintf("turn %d", turn+1)
}

// Seen is one line that says what the check saw, or why it could not judge. It is never empty.
func (p Problem) Seen() string {
	switch {
	case p.Error != "":
		return Line(p.Error)
	case p.Status == result.Cancelled:
		return "not judged: " + cmp.Or(Line(p.SkipReason), "the conversation ended before")
	case p.Explanation != "":
		return Line(p.Explanation)
	case p.Needs() != "":
		return p.Needs()
	case p.Message != "":
		return Line(p.Message)
	}
	return p.Status.String()
}

// Needs is the score and the limit that it missed, such as "score 0.40, needs at least 0.70"; "" for a score of 0
// without a limit.
func (p Problem) Needs() string {
	if p.Score == nil || p.Status != result.Failed {
		return ""
	}
	score := *p.Score
	switch {
	case p.MinScore != nil && score < *p.MinScore:
		return fmt.Sprintf("score %s, needs at least %s", Score(score), Score(*p.MinScore))
	case p.MaxScore != nil && score > *p.MaxScore:
		return fmt.Sprintf("score %s, needs at most %s", Score(score), Score(*p.MaxScore))
	case p.MinScore == nil && p.MaxScore == nil && score > 0 && score < 1 && strings.HasPrefix(p.Type, "llm_judge"):
		return "score " + Score(score) + ", without min_score only 1 passes" // though the judge may say that it passed
	case p.MinScore == nil && p.MaxScore == nil && score > 0 && score < 1:
		return "score " + Score(score) // against the check's own limit, which its explanation names
	}
	return ""
}

// Expected returns the expected and the actual value from the details of the check, each on one line; "": no such
// details.
func (p Problem) Expected() (expected, got string) {
	return p.detail("expected"), p.detail("actual", "got")
}

func (p Problem) detail(names ...string) string {
	for _, name := range names {
		if v, ok := p.Details[name]; ok && v != nil {
			return Value(v)
		}
	}
	return ""
}

// Note is one line with the expected and the actual value, and with the limit that the score missed, unless Seen shows
// them already; "" when there is nothing to add.
func (p Problem) Note() string {
	var parts []string
	if expected, got := p.Expected(); expected != "" && got != "" && !strings.Contains(p.Seen(), expected) {
		parts = append(parts, "expected "+expected+", got "+got)
	}
	if needs := p.Needs(); needs != "" && needs != p.Seen() {
		parts = append(parts, needs)
	}
	return strings.Join(parts, "; ")
}

// Line is the verdict in one line: its turn, its check, what the check saw, and the limit.
func (p Problem) Line() string {
	return TurnLabel(p.Turn) + ": " + Line(p.Name()) + ": " + p.withNote(p.Note())
}

// LabelledLine is Line after what the author of the check wrote about it.
func (p Problem) LabelledLine() string {
	if label := Line(p.Message); label != "" && label != p.Seen() {
		return label + ": " + p.Line()
	}
	return p.Line()
}

// SeenAndScore is the finding of the check, with the score and the missed limit.
func (p Problem) SeenAndScore() string {
	needs := p.Needs()
	if needs == p.Seen() {
		return needs
	}
	return p.withNote(needs)
}

// withNote adds a note to Seen: after it, or before it if Seen is long and may be cut, such as reasoning of a model.
func (p Problem) withNote(note string) string {
	const long = 100 // bytes
	switch seen := p.Seen(); {
	case note == "":
		return seen
	case len(seen) > long || len(p.Judgements) > 0:
		return note + ": " + seen
	default:
		return seen + " (" + note + ")"
	}
}

// Value writes a decoded JSON value on one line: text quoted, the rest as compact JSON with sorted keys.
func Value(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return Line(fmt.Sprint(v)) // NaN and infinities, which JSON cannot hold
	}
	return Line(b.String())
}

// Position writes a position as file:line, which editors and terminals make clickable; "" when it is not known.
func Position(p diag.Pos) string {
	if p.File == "" {
		return ""
	}
	return Line(diag.Pos{File: p.File, Line: p.Line}.String())
}
