package show

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// Problem is a verdict that keeps its trial from passing, with its place in the trial.
type Problem struct {
	Turn  int // index of the turn; -1: the conversation
	Index int // among the checks of that place
	*result.Verdict
}

// Problems lists what did not pass: failures and errors, of evals that have a threshold too. Checks that a stop kept
// from judging are listed when nothing else is wrong; those that had nothing to judge because their turn broke never
// are, for the error says it.
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
	missed, late := missedEvals(t)
	all, stopped = append(all, missed...), append(stopped, late...)
	byPlace(all)
	if len(all) == 0 && t.Error == "" {
		return stopped
	}
	return all
}

// Place names a turn as people count, from 1; a negative index is the conversation.
func Place(turn int) string {
	if turn < 0 {
		return "conversation"
	}
	return fmt.Sprintf("turn %d", turn+1)
}

// Seen says what the check saw, or why it saw nothing; one line, never empty.
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

// Needs is the score and the limit it missed, such as "score 0.40, needs at least 0.70"; "" when the score is a plain
// no.
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
	case p.MinScore == nil && p.MaxScore == nil && score > 0 && score < 1:
		return "score " + Score(score) // against the check's own limit, which its explanation names
	}
	return ""
}

// Expected is what the check's details call the expected and the actual value, each on one line; "" when they do not
// say.
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

// Note is one line about an expected and an actual value that the explanation does not already show; "" when there is
// nothing to add.
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

// Line is the verdict in one line: its place, check, what it saw and what it needs.
func (p Problem) Line() string {
	return Place(p.Turn) + ": " + Line(p.Name()) + ": " + p.noted(p.Note())
}

// SeenAndScore is what the check saw, with the score and the limit it missed.
func (p Problem) SeenAndScore() string {
	needs := p.Needs()
	if needs == p.Seen() {
		return needs
	}
	return p.noted(needs)
}

// noted adds a note to what was seen: behind it, or before it when it is long and may be cut, as the reasoning of a
// model is.
func (p Problem) noted(note string) string {
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
		return Line(fmt.Sprint(v)) // NaN and the like, which JSON cannot hold
	}
	return Line(b.String())
}

// Position writes a place as file:line, in the form that editors and terminals make clickable; "" when it is not known.
func Position(p diag.Pos) string {
	if p.File == "" {
		return ""
	}
	return Line(diag.Pos{File: p.File, Line: p.Line}.String())
}
