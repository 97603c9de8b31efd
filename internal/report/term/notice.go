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
