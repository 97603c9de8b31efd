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

// ToolStderr writes a line that a program of a tool or of an MCP server wrote to stderr. It may be called by any
// goroutine after Start.
func (p *Printer) ToolStderr(who, line string) {
	p.print([]*row{(&row{}).add(dim, ToolStderr(who, line))})
}

// PrintAbove writes a line above the live block, and returns false when there is none. It may be called by any
// goroutine after New.
func (p *Printer) PrintAbove(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live == nil {
		return false
	}
	p.live.print((&row{}).add(yellow, show.Line(text)).render(p.paint) + "\n")
	return true
}

// ToolStderr is a line of stderr with the tool or server that wrote it.
func ToolStderr(who, line string) string {
	return show.Line(who) + ": stderr: " + strings.ReplaceAll(show.Clean(line), "\n", " ")
}
