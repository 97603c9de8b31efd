package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// redraw is the least time between two drawings.
const redraw = 100 * time.Millisecond

// live is the block at the bottom of a terminal. Finished lines are gathered and scroll away above it each time it is
// drawn, so that ten thousand quick trials cost ten drawings a second.
//
// It is written by hand because the progress library draws from goroutines of its own with its own clock and
// terminal size, and sends the lines above its bars to the stream of the bars: neither a test that repeats nor lines
// on stdout with the block on stderr can be had from it.
type live struct {
	out, err io.Writer
	width    func() int
	now      func() time.Time
	paint    painter

	mu       sync.Mutex
	progress progress
	lines    strings.Builder // that wait to be written
	block    string          // as drawn; "" when nothing is
	columns  int             // of the drawn bar
	drawn    time.Time
	failed   error // the first of out

	quit chan struct{}
	gone sync.WaitGroup
}

func startLive(p *Printer, total int) *live {
	l := &live{
		out: p.opts.Out, err: p.opts.Err, width: p.width, now: p.opts.Now, paint: p.paint,
		progress: progress{total: total, begin: p.opts.Now()},
		quit:     make(chan struct{}),
	}
	l.mu.Lock()
	l.draw()
	l.mu.Unlock()
	l.gone.Go(l.tick)
	return l
}

// tick redraws when time passes and nothing else happens.
func (l *live) tick() {
	t := time.NewTicker(redraw)
	defer t.Stop()
	for {
		select {
		case <-l.quit:
			return
		case <-t.C:
			l.mu.Lock()
			l.due()
			l.mu.Unlock()
		}
	}
}

// print queues lines.
func (l *live) print(lines string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines.WriteString(lines)
	l.due()
}

// update changes the progress.
func (l *live) update(f func(*progress)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(&l.progress)
	l.due()
}

// stop writes what is queued, removes the block, and returns the first error of out.
func (l *live) stop() error {
	close(l.quit)
	l.gone.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.show("", 0)
	return l.failed
}

// due draws when the last drawing is long enough ago.
func (l *live) due() {
	if l.now().Sub(l.drawn) >= redraw {
		l.draw()
	}
}

func (l *live) draw() {
	l.drawn = l.now()
	bar := l.progress.bar(l.drawn, l.width()-1) // a full last column makes some terminals wrap
	l.show("\n"+bar.render(l.paint), bar.width)
}

// show replaces the block, and writes the queued lines where it was.
func (l *live) show(block string, columns int) {
	lines := l.lines.String()
	if block == l.block && lines == "" {
		return
	}
	l.lines.Reset()
	erase := l.erase()
	if lines != "" {
		l.screen(erase)
		if l.failed == nil {
			_, l.failed = io.WriteString(l.out, lines)
		}
		erase = ""
	}
	l.screen(erase + block)
	l.block, l.columns = block, columns
}

// screen writes to the terminal. One that is gone is no reason to stop a run.
func (l *live) screen(s string) { _, _ = io.WriteString(l.err, s) }

// erase moves to the start of the block and clears all below. A terminal that became narrower has wrapped the bar.
func (l *live) erase() string {
	if l.block == "" {
		return ""
	}
	up := strings.Count(l.block, "\n")
	if w := l.width(); l.columns > w {
		up += (l.columns - 1) / w
	}
	return fmt.Sprintf("\r\x1b[%dA\x1b[J", up)
}
