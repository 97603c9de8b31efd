package term

import (
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
)

// Note writes a note about the run between the lines of the trials.
func (p *Printer) Note(text string) {
	var lines []*row
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, (&row{}).add(yellow, show.Line(line)))
	}
	p.print(lines)
}

// Overheard writes a line that a program of a tool or of an MCP server wrote to stderr. It may be called by any
// goroutine after Start.
func (p *Printer) Overheard(who, line string) {
	p.print([]*row{(&row{}).add(dim, Overheard(who, line))})
}

// Overheard is a line of stderr as it is shown, with the tool or server that it comes from.
func Overheard(who, line string) string {
	return show.Line(who) + ": stderr: " + strings.ReplaceAll(show.Clean(line), "\n", " ")
}
