// Package term writes a run to a terminal or a log: a line for each finished trial, a live block while the run goes
// on, the failures with their evidence, and the summary.
package term

import (
	"cmp"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// Options of a Printer. Out must be set; the rest has defaults. Width and Now are also called by the goroutine that
// redraws the live block.
type Options struct {
	Out io.Writer // lines of trials, failures, summary
	Err io.Writer // the live block; nil: none
	TTY bool      // Err is a terminal, and the live block is wanted
	// Width returns the columns of the terminal. Nil, or 0 from it, means that they are not known: lines are laid out for
	// 120 columns then, and notes are not cut.
	Width     func() int
	Color     bool                       // see UseColor
	Verbosity int                        // 1: requests and replies, cut short; 2: whole
	Quiet     bool                       // failures, summary and report paths only
	Told      int                        // warnings of the run, from the first, that were shown before it
	Now       func() time.Time           // nil: time.Now
	Rerun     func(*result.Brief) string // the command that runs a trial again; may be nil
	Resume    string                     // the command that runs what did not finish; may be empty
}

// Plan is what the printer has to know before the first trial.
type Plan struct {
	Trials int
	// Trial names a planned trial (ID, Scenario, Provider, Region, Trial, Trials), so that columns fit and trials that
	// were never started can be named. It may be nil.
	Trial func(index int) result.Brief
	// Longest are the trials among which those with the longest names are; nil: any may be one.
	Longest iter.Seq[result.Brief]
}

// Printer writes a run. All its methods are called from one goroutine: Start, then TrialStarted and TrialDone as
// things happen, then Finish. Stop may be called instead of Finish, and after it.
type Printer struct {
	opts    Options
	paint   painter
	plan    Plan
	longest longest
	live    *live // nil: none
	notices notices
	err     error // the first of Out
}

// New returns a printer.
func New(o Options) *Printer {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Err == nil || o.Quiet {
		o.TTY = false
	}
	return &Printer{opts: o, paint: newPainter(o.Color), longest: longest{name: 24, provider: 16}}
}

// Start begins the run and, on a terminal, the live block.
func (p *Printer) Start(plan Plan) {
	p.plan = plan
	p.longest = measure(plan)
	if p.opts.TTY {
		p.live = startLive(p, plan.Trials)
	}
}

// TrialStarted counts a trial as running.
func (p *Printer) TrialStarted(string) {
	if p.live != nil {
		p.live.update(func(s *progress) { s.started++ })
	}
}

// TrialDone writes the line of a finished trial. b is its brief; neither is kept.
func (p *Printer) TrialDone(b *result.Brief, t *result.Trial) {
	p.notices.add(t)
	if p.live != nil {
		p.live.update(func(s *progress) { s.done(b) })
	}
	if p.opts.Quiet {
		return
	}
	lines := p.trialLine(b, t)
	if p.opts.Verbosity > 0 {
		lines = append(lines, p.transcript(t)...)
	}
	p.print(lines)
}

// Finish ends the live block and writes the failures and the summary. reports are the paths of the files that were
// written. It returns the first error of writing to Out, or of reading trials back.
func (p *Printer) Finish(run *result.Run, reports ...string) error {
	p.Stop()
	if err := p.failures(run); err != nil {
		return err
	}
	if !p.opts.Quiet {
		p.remarks(run)
	}
	p.summary(run, reports)
	return p.err
}

// Stop ends the live block. It may be called more than once.
func (p *Printer) Stop() {
	if p.live != nil {
		p.err = cmp.Or(p.err, p.live.stop())
		p.live = nil
	}
}

const (
	unknownWidth = 120
	leastWidth   = 40 // what is narrower wraps
)

// width is the columns to lay out for.
func (p *Printer) width() int {
	if w := p.knownWidth(); w > 0 {
		return max(w, leastWidth)
	}
	return unknownWidth
}

// knownWidth is the columns of the terminal; 0 when nothing needs to be cut.
func (p *Printer) knownWidth() int {
	if p.opts.Width == nil {
		return 0
	}
	return p.opts.Width()
}

// print writes whole lines: at once, or above the live block when it is redrawn next.
func (p *Printer) print(lines []*row) {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line.render(p.paint))
		b.WriteByte('\n')
	}
	if p.live != nil {
		p.live.print(b.String())
		return
	}
	p.write(b.String())
}

func (p *Printer) write(s string) {
	if s == "" || p.err != nil {
		return
	}
	_, p.err = io.WriteString(p.opts.Out, s)
}

// lines is how many lines a text may take: few by default, more with -v, all (0) with -vv.
func (p *Printer) lines(few int) int {
	switch p.opts.Verbosity {
	case 0:
		return few
	case 1:
		return few * 4
	}
	return 0
}

// sign is the mark of a status and its colour.
func sign(s result.Status) (text string, as style) {
	switch s {
	case result.Passed:
		as = green
	case result.Failed:
		as = red
	default:
		as = yellow
	}
	return show.Sign(s), as
}

// name is the scenario of a trial, with its number among those of its group.
func name(b *result.Brief) string {
	return strings.TrimSpace(show.Line(b.Scenario) + " " + show.Number(b))
}
