// Package term writes a run to a terminal or a log: a line for each finished trial, a live block while trials run, the
// failures with their evidence, and the summary.
package term

import (
	"cmp"
	"io"
	"iter"
	"strings"
	"sync"
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
	// Width returns the columns of the terminal. If it is nil or returns 0, the width is not known: lines are laid out for
	// 120 columns then, and notes are not cut.
	Width         func() int
	Color         bool                          // see UseColor
	Verbosity     int                           // 1: requests and replies, cut; 2: uncut
	Quiet         bool                          // failures, summary and report paths only; the caller prints warnings
	WarningsShown int                           // how many of the run's warnings were shown before the run
	Now           func() time.Time              // nil: time.Now
	Rerun         func(...*result.Brief) string // the command that runs trials of one file again; may be nil
	Rejudge       string                        // the command that asks only the judges again; "": none
	Resume        func(*result.Run) string      // the command that runs the trials that did not finish; may be nil
}

// Plan is what the printer needs to know before the first trial.
type Plan struct {
	Trials int
	// Trial returns a planned trial (ID, Scenario, Provider, Region, Trial, Trials, Simulated). It serves to lay out the
	// columns, and to name trials that never started. It may be nil.
	Trial func(index int) result.Brief
	// Longest yields trials that include those with the longest names; nil: all trials are looked at.
	Longest iter.Seq[result.Brief]
}

// Printer writes a run. All its methods but ToolStderr and PrintAbove belong to one goroutine: Start, then TrialStarted
// and TrialDone for each trial, then Finish. Stop may be called instead of Finish, and after it.
type Printer struct {
	opts    Options
	paint   painter
	plan    Plan
	longest longest

	mu   sync.Mutex // held while lines are written
	live *live      // nil: none; set under mu
	err  error      // the first of Out
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
	p.longest = longestNames(plan)
	if p.opts.TTY {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.live = newLive(p, plan.Trials)
	}
}

// TrialStarted takes note that a trial is running.
func (p *Printer) TrialStarted(id string) {
	if p.live != nil {
		p.live.update(func(s *progress) { s.trialStarted(id, p.opts.Now()) })
	}
}

// TrialDone writes the line of a finished trial and its brief. It keeps neither.
func (p *Printer) TrialDone(b *result.Brief, t *result.Trial) {
	if p.live != nil {
		p.live.update(func(s *progress) { s.trialDone(b) })
	}
	if p.opts.Quiet || b.Gated && p.opts.Verbosity == 0 && (b.Status == result.Passed || b.Status == result.Failed) {
		return // the line of the group reports it
	}
	lines := p.trialLine(b, t)
	if p.opts.Verbosity > 0 {
		lines = append(lines, p.transcript(t)...)
	}
	p.print(lines)
}

// Finish ends the live block and writes the failures and the summary. reports are the paths of the report files. It
// returns the first error from Out, or from reading trials back.
func (p *Printer) Finish(run *result.Run, reports ...string) error {
	p.Stop()
	if !p.opts.Quiet {
		p.gates(run)
	}
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
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live != nil {
		p.err = cmp.Or(p.err, p.live.stop())
		p.live = nil
	}
}

const (
	unknownWidth = 120
	leastWidth   = 40 // lines wrap on a narrower terminal
)

// width is the number of columns that lines are laid out for.
func (p *Printer) width() int {
	if w := p.knownWidth(); w > 0 {
		return max(w, leastWidth)
	}
	return unknownWidth
}

// knownWidth is the number of columns of the terminal; 0 when it is not known.
func (p *Printer) knownWidth() int {
	if p.opts.Width == nil {
		return 0
	}
	return p.opts.Width()
}

// print writes lines at once, or queues them for the next drawing of the live block.
func (p *Printer) print(lines []*row) {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line.render(p.paint))
		b.WriteByte('\n')
	}
	p.write(b.String())
}

func (p *Printer) write(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live != nil {
		p.live.print(s)
		return
	}
	if s == "" || p.err != nil {
		return
	}
	_, p.err = io.WriteString(p.opts.Out, s)
}

// lines is the limit of lines for a text: few by default, four times as many with -v, none (0) with -vv.
func (p *Printer) lines(few int) int {
	switch p.opts.Verbosity {
	case 0:
		return few
	case 1:
		return few * 4
	}
	return 0
}

// sign is the symbol of a status and its colour.
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

// name is the scenario of a trial, with the trial's number within its group.
func name(b *result.Brief) string {
	return strings.TrimSpace(show.Line(b.Scenario) + " " + show.TrialNumber(b))
}
