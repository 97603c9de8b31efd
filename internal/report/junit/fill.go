package junit

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

const (
	maxDetailed = 5    // trials of a group that are shown with their conversation
	maxListed   = 50   // and those of which the reason is named
	maxText     = 4000 // bytes of one message
	lastTurns   = 3    // turns of the end of a conversation
	maxCalls    = 20   // entries of one turn
)

// fill reads the trials of a group that did not pass and writes the texts of its testcase.
func (b *builder) fill(g *show.Group, c *testcase) error {
	var text strings.Builder
	if rate := g.Rate(); rate != "" {
		text.WriteString(rate + "\n")
		for _, line := range g.AssertionRates() {
			text.WriteString("  " + line + "\n")
		}
	}
	worst, shown := result.Unset, 0
	for _, i := range g.Trials {
		brief := &b.run.Briefs[i]
		if brief.Status == result.Passed {
			continue
		}
		if shown++; shown > maxListed {
			continue
		}
		t, err := b.run.Trials.Trial(i)
		if err != nil {
			return fmt.Errorf("trial %s: %w", brief.ID, err)
		}
		if brief.Status > worst { // the statuses are ordered by how bad they are
			worst, c.message = brief.Status, show.Reason(t)
		}
		b.describe(&text, t, brief, shown <= maxDetailed)
	}
	if shown > maxListed {
		fmt.Fprintf(&text, "\n… and %s that did not pass\n", show.Plural(shown-maxListed, "more trial"))
	}
	if c.status == result.Passed { // within its threshold
		c.output, c.message = text.String(), ""
		return nil
	}
	if rate := g.Rate(); rate != "" && c.status == result.Failed {
		c.message = rate + ": " + c.message
	}
	c.body = c.message + "\n\n" + text.String()
	return nil
}

// describe writes a trial that did not pass: in full, or its reason only.
func (b *builder) describe(w *strings.Builder, t *result.Trial, brief *result.Brief, full bool) {
	if name := trialName(t, brief); name != "" {
		fmt.Fprintf(w, "\n%s: %s\n", name, t.Status)
	}
	if !full {
		w.WriteString("  " + show.Reason(t) + "\n")
		return
	}
	if t.Error != "" {
		w.WriteString("error: " + show.TrialError(t) + "\n")
	}
	for _, p := range show.Problems(t) {
		problem(w, p)
	}
	conversation(w, t)
	if b.opts.Rerun != nil {
		w.WriteString("\nagain: " + show.Line(b.opts.Rerun(brief)) + "\n")
	}
}

// trialName tells the trial from the others of its group; "" when it is alone.
func trialName(t *result.Trial, brief *result.Brief) string {
	number := show.Number(brief)
	if number == "" {
		return ""
	}
	if v := show.Variant(t); v != "" {
		return "trial " + number + " (" + v + ")"
	}
	return "trial " + number
}

// problem writes a verdict: what was asked, what was seen, what was expected, and the line that asks for it.
func problem(w *strings.Builder, p show.Problem) {
	fmt.Fprintf(w, "%s %s: %s", sign(p.Status), show.Place(p.Turn), show.Line(p.Type))
	if p.Message != "" {
		w.WriteString(": " + show.Line(p.Message))
	}
	w.WriteString("\n    " + show.Clip(p.Seen(), maxText) + "\n")
	if expected, got := p.Expected(); expected != "" || got != "" {
		if expected != "" {
			w.WriteString("    expected: " + show.Clip(expected, maxText) + "\n")
		}
		if got != "" {
			w.WriteString("    got: " + show.Clip(got, maxText) + "\n")
		}
	}
	if needs := p.Needs(); needs != "" && needs != p.Seen() {
		w.WriteString("    " + needs + "\n")
	}
	if at := show.Position(p.Position); at != "" {
		w.WriteString("    at " + at + "\n")
	}
}

func sign(s result.Status) string {
	if s == result.Failed {
		return "✗"
	}
	return "!"
}

// conversation writes the end of a trial's conversation.
func conversation(w *strings.Builder, t *result.Trial) {
	last := len(t.Turns)
	for last > 0 && t.Turns[last-1].NotRun != "" {
		last--
	}
	if first := max(last-lastTurns, 0); last > 0 {
		w.WriteString("\nconversation")
		if first > 0 {
			fmt.Fprintf(w, " from %s", show.Place(t.Turns[first].Index))
		}
		w.WriteString("\n")
		for i := first; i < last; i++ {
			exchange(w, &t.Turns[i])
		}
	}
	if last < len(t.Turns) {
		next := &t.Turns[last]
		fmt.Fprintf(w, "  %s and after: not run: %s\n", show.Place(next.Index), show.Line(next.NotRun))
	}
}

func exchange(w *strings.Builder, turn *result.Turn) {
	all := show.Exchange(turn)
	for i, s := range all {
		if i == maxCalls {
			fmt.Fprintf(w, "  … and %d more\n", len(all)-i)
			return
		}
		text := strings.TrimRight(show.Clip(s.Text, maxText), "\n")
		w.WriteString("  " + s.Who + ": " + strings.ReplaceAll(text, "\n", "\n    ") + "\n")
	}
}
