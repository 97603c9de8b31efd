package arena

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// failureLimit is how much of a text stands in a failure, in bytes.
const failureLimit = 2000

// Failure says why a trial did not pass, as people read it: every problem with the line that asks for it, what was seen
// and what was expected, and what was said. It is "" for a trial that passed. Texts of models are made safe to print.
func (t *Trial) Failure() string {
	if t.Status == Passed {
		return ""
	}
	var b strings.Builder
	if t.raw.Error != "" {
		fmt.Fprintf(&b, "%s: error: %s\n", show.Position(t.raw.Position), show.TrialError(t.raw))
	}
	problems := show.Problems(t.raw)
	for i, p := range problems {
		if i == 0 || problems[i-1].Turn != p.Turn {
			exchange(&b, t.raw, p.Turn)
		}
		problem(&b, p)
	}
	if len(problems) == 0 {
		exchange(&b, t.raw, -1)
	}
	if t.raw.Skip != "" {
		fmt.Fprintf(&b, "%s: %s\n", t.Status, show.Line(t.raw.Skip))
	}
	return strings.TrimRight(b.String(), "\n")
}

// exchange writes what was said in a turn; of the conversation what was said last.
func exchange(b *strings.Builder, t *result.Trial, turn int) {
	var last *result.Turn
	for i := range t.Turns {
		if at := &t.Turns[i]; at.NotRun == "" && (turn < 0 || at.Index == turn) {
			last = at
		}
	}
	if last != nil {
		b.WriteString(show.Place(last.Index) + "\n")
		show.WriteExchange(b, last, failureLimit)
	}
}

// problem writes a verdict below the line that asks for it, so that editors find the way there.
func problem(b *strings.Builder, p show.Problem) {
	if at := show.Position(p.Position); at != "" {
		b.WriteString(at + ": ")
	}
	b.WriteString(show.Place(p.Turn) + ": " + show.Line(p.Name()))
	if p.Status != result.Failed {
		b.WriteString(" (" + p.Status.String() + ")")
	}
	if p.Message != "" {
		b.WriteString(": " + show.Line(p.Message))
	}
	b.WriteString("\n    " + show.Clip(p.SeenAndScore(), failureLimit) + "\n")
	if expected, got := p.Expected(); expected != "" && got != "" {
		b.WriteString("    expected: " + show.Clip(expected, failureLimit) + "\n")
		b.WriteString("         got: " + show.Clip(got, failureLimit) + "\n")
	}
	for _, line := range p.Judged() {
		b.WriteString("    " + show.Clip(line, failureLimit) + "\n")
	}
}
