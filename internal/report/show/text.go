package show

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/result"
)

// WriteProblem writes a verdict as plain text: the check, what it saw, what it expected, and its position. Each text is
// cut to about limit bytes.
func WriteProblem(w *strings.Builder, p Problem, limit int) {
	fmt.Fprintf(w, "%s %s: %s", Sign(p.Status), TurnLabel(p.Turn), Line(p.Name()))
	if p.Message != "" {
		w.WriteString(": " + Clip(Line(p.Message), limit))
	}
	w.WriteString("\n    " + Clip(p.Seen(), limit) + "\n")
	if expected, got := p.Expected(); expected != "" || got != "" {
		if expected != "" {
			w.WriteString("    expected: " + Clip(expected, limit) + "\n")
		}
		if got != "" {
			w.WriteString("    got: " + Clip(got, limit) + "\n")
		}
	}
	if needs := p.Needs(); needs != "" && needs != p.Seen() {
		w.WriteString("    " + needs + "\n")
	}
	for _, line := range p.JudgeLines() {
		w.WriteString("    " + Clip(line, limit) + "\n")
	}
	if at := Position(p.Position); at != "" {
		w.WriteString("    at " + at + "\n")
	}
}

// maxEntries bounds the entries of one exchange.
const maxEntries = 20

// WriteExchange writes the messages of a turn as plain text, indented by two columns. Each text is cut to about limit
// bytes.
func WriteExchange(w *strings.Builder, turn *result.Turn, limit int) {
	all := Exchange(turn)
	for i, s := range all {
		if i == maxEntries {
			fmt.Fprintf(w, "  … and %d more\n", len(all)-i)
			return
		}
		text := strings.TrimRight(Clip(s.Text, limit), "\n")
		w.WriteString("  " + s.Who + ": " + strings.ReplaceAll(text, "\n", "\n    ") + "\n")
	}
}
