package html

import (
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// sign is the mark of a status. It is always shown with a word.
func sign(s result.Status) string {
	switch s {
	case result.Passed:
		return "✓"
	case result.Failed:
		return "✗"
	case result.Skipped:
		return "–"
	case result.Cancelled:
		return "◌"
	case result.Undecided:
		return "?"
	default:
		return "!"
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// title is the text of the browser's tab.
func (p *page) title() string {
	return show.Line(sign(p.Status) + " " + p.headline() + " · " + p.subject())
}

// costNotes say whose cost it is, how much of it is simulated, and how many trials it leaves out.
func (p *page) costNotes() string {
	s := &p.Summary
	var notes []string
	if part := show.SimulatedPart(s.CostUSD, s.SimulatedUSD); part != "" {
		notes = append(notes, part)
	}
	if len(s.Beside()) > 0 {
		notes = append(notes, "agents")
	}
	if s.Unpriced > 0 {
		notes = append(notes, show.Count(s.Unpriced)+" of "+show.Count(s.Trials)+" trials unknown")
	}
	return strings.Join(notes, ", ")
}

// subject is the name of the run.
func (p *page) subject() string {
	if p.Name == "" {
		return "arena"
	}
	return p.Name
}
