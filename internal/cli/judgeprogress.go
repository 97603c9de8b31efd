package cli

import (
	"fmt"
	"io"
	"sync"

	"github.com/arena-evals/arena/internal/calibrate"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/report/screen"
)

// progress is one line on a terminal that shows the progress of a calibration. Its methods must not be called
// concurrently, except stopping.
type progress struct {
	w         io.Writer // nil: no terminal
	writing   sync.Mutex
	total     int
	judged    int
	disagree  int
	broken    int
	lastShown int // in two-hundredths
}

func newProgress(app *App, total int) *progress {
	p := &progress{total: total, lastShown: -1}
	if app.ErrTTY && app.Env["TERM"] != "dumb" {
		p.w = screen.Live(app.Err)
	}
	p.draw()
	return p
}

// done counts an outcome. It redraws the line at most about 200 times.
func (p *progress) done(o *calibrate.Outcome) {
	p.judged++
	switch o.Status {
	case calibrate.Disagrees:
		p.disagree++
	case calibrate.Broken:
		p.broken++
	case calibrate.Agrees, calibrate.Stopped:
	}
	p.draw()
}

func (p *progress) draw() {
	told := p.judged * 200 / max(p.total, 1)
	if p.w == nil || told == p.lastShown {
		return
	}
	p.lastShown = told
	text := fmt.Sprintf("%d/%d judged", p.judged, p.total)
	if p.disagree > 0 {
		text += fmt.Sprintf("  %d disagree", p.disagree)
	}
	if p.broken > 0 {
		text += "  " + plural.Count(p.broken, "error")
	}
	p.print("\r\x1b[2K" + text)
}

// stopping says that the remaining outcomes are not waited for.
func (p *progress) stopping() {
	if p.w != nil {
		p.print("\r\x1b[2Kstopping: what is judged is shown; interrupt again to quit at once\n")
	}
}

// end removes the line.
func (p *progress) end() {
	if p.w != nil {
		p.print("\r\x1b[2K")
	}
}

func (p *progress) print(text string) {
	p.writing.Lock()
	defer p.writing.Unlock()
	_, _ = io.WriteString(p.w, text) // progress is optional
}
