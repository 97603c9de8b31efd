package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// redraw is the minimum time between two drawings.
const redraw = 100 * time.Millisecond

// live is the block at the bottom of a terminal. Finished lines are queued, and written above the block when it is
// drawn next: ten thousand quick trials take only ten drawings a second.
//
// It is our own code because a progress library draws from its own goroutines, with its own clock and terminal size,
// and writes all lines to the stream of its bars. Tests could not repeat its output, and lines could not go to stdout
// while the block goes to stderr.
type live struct {
	out, terminal io.Writer
	width         func() int
	now           func() time.Time
	paint         painter

	mu       sync.Mutex
	progress progress
	lines    strings.Builder // queued
	block    string          // as drawn; "": nothing is drawn
	columns  []int           // of its lines
	drawn    time.Time
	err      error // the first of out

	quit   chan struct{}
	ticker sync.WaitGroup
}

func newLive(p *Printer, total int) *live {
	l := &live{
		out: p.opts.Out, terminal: p.opts.Err, width: p.width, now: p.opts.Now, paint: p.paint,
		progress: progress{total: total, begin: p.opts.Now()},
		quit:     make(chan struct{}),
	}
	l.mu.Lock()
	l.draw()
	l.mu.Unlock()
	l.ticker.Go(l.tick)
	return l
}

// tick redraws the block while nothing else does.
func (l *live) tick() {
	t := time.NewTicker(redraw)
	defer t.Stop()
	for {
		select {
		case <-l.quit:
			return
		case <-t.C:
			l.mu.Lock()
			l.drawIfDue()
			l.mu.Unlock()
		}
	}
}

// print queues lines.
func (l *live) print(lines string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines.WriteString(lines)
	l.drawIfDue()
}

// update changes the progress.
func (l *live) update(f func(*progress)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(&l.progress)
	l.drawIfDue()
}

// stop writes the queued lines, removes the block, and returns the first error of out.
func (l *live) stop() error {
	close(l.quit)
	l.ticker.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.show("", nil)
	return l.err
}

// drawIfDue draws unless the last drawing was less than redraw ago.
func (l *live) drawIfDue() {
	if l.now().Sub(l.drawn) >= redraw {
		l.draw()
	}
}

func (l *live) draw() {
	l.drawn = l.now()
	width := l.width() - 1 // a full last column makes some terminals wrap
	bar := l.progress.bar(l.drawn, width)
	block, columns := "\n"+bar.render(l.paint), []int{bar.width}
	if slowest := l.progress.slowest(l.drawn, width); slowest != nil {
		block += "\n" + slowest.render(l.paint)
		columns = append(columns, slowest.width)
	}
	l.show(block, columns)
}

// show writes the queued lines in the place of the block, and draws the new block below them.
func (l *live) show(block string, columns []int) {
	lines := l.lines.String()
	if block == l.block && lines == "" {
		return
	}
	l.lines.Reset()
	erase := l.erase()
	if lines != "" {
		l.writeTerminal(erase)
		if l.err == nil {
			_, l.err = io.WriteString(l.out, lines)
		}
		erase = ""
	}
	l.writeTerminal(erase + block)
	l.block, l.columns = block, columns
}

// writeTerminal writes to the terminal. Errors are ignored: a run goes on without its terminal.
func (l *live) writeTerminal(s string) { _, _ = io.WriteString(l.terminal, s) }

// erase returns the sequence that moves to the start of the block and clears everything below. A terminal that became
// narrower has wrapped its lines onto more.
func (l *live) erase() string {
	if l.block == "" {
		return ""
	}
	up := strings.Count(l.block, "\n")
	w := l.width()
	for _, columns := range l.columns {
		if columns > w {
			up += (columns - 1) / w
		}
	}
	return fmt.Sprintf("\r\x1b[%dA\x1b[J", up)
}
