package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/report/term"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// execution is one run of a plan from the journal's first line to the exit status.
type execution struct {
	app     *App
	flags   *runFlags
	plan    *runner.Plan
	out     *harness.Outputs
	jobs    int
	journal *os.File       // of a run that is resumed, and
	past    *resumption    // what of it stays; nil: the run starts anew
	deck    *cassette.Deck // nil: nothing is recorded, or replayed

	changes *changeLog // nil: the run is not held against another one
	warned  []string   // by what was read and planned
	missing int        // trials of the run before that never finished; there is nothing to judge of them

	metrics *exporter   // nil: none are asked for
	evals   *dispatcher // nil: they are run here
	events  *eventStream
	logs    *sessionLogs
	traces  *tracer
	linger  func() // keeps the metrics up after the run; nil: does not
	clock   eventClock
	collect result.Collector
	screen  *term.Printer
	notes   chan string // from other goroutines, for the screen
	live    atomic.Bool // there is a screen
}

func (x *execution) run(ctx context.Context) (err error) {
	if x.deck == nil || !x.deck.Records() {
		return x.drive(ctx)
	}
	unlock, err := x.deck.Lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return x.drive(ctx)
}

// drive runs the plan.
func (x *execution) drive(ctx context.Context) (err error) {
	run := &result.Run{
		SchemaVersion: result.SchemaVersion, Arena: shortVersion(), Name: x.plan.Name, Started: x.app.Now().UTC(),
		Planned: x.plan.Len() + x.missing + x.past.behind(), FailOn: x.plan.FailOn,
		ExitZero: x.flags.exitZero, Warnings: x.warned,
		Command: x.flags.repeat(),
	}
	if x.flags.words[1] == "run" {
		run.Resume = x.flags.resumeWords()
	}
	for _, list := range [][]string{run.Command, run.Resume, run.Warnings} {
		for i := range list {
			list[i] = x.app.secrets.Text(list[i])
		}
	}
	defer func() { err = errors.Join(err, x.release()) }()
	if err := x.listen(ctx, run); err != nil {
		return err
	}
	file := x.journal
	if file == nil {
		file, err = x.out.OpenJournal()
	} else {
		err = x.out.Resume(file)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closed(file)) }()
	journal, err := x.startJournal(file, result.JournalHeader{
		Arena: run.Arena, Name: run.Name, Started: run.Started, Planned: run.Planned, FailOn: run.FailOn,
		ExitZero: run.ExitZero, Command: run.Command, Resume: run.Resume, Programs: runner.Programs(x.plan),
		Replayed: x.deck != nil && !x.deck.Records(),
	})
	if err != nil {
		return broken(err)
	}
	if x.app.KeepPipes != nil {
		x.app.KeepPipes()
	}
	running, interrupted := x.app.interruptible(ctx, runner.Stop(), func() {
		x.note("stopping: trials in flight end now, reports follow; interrupt again to quit at once")
	})
	if err := x.begin(run); err != nil {
		return broken(err)
	}
	x.screen, x.notes = newScreen(x.app, x.flags, len(x.warned)), make(chan string, 16)
	if store := x.flags.store(); store != nil {
		store.Note, store.Secret = x.note, func(text []byte) bool { return x.app.secrets.Set().In(text) }
	}
	x.live.Store(true)
	x.collect.Expect(run.Planned)
	x.tellPast()
	if err := x.keepers(); err != nil {
		return broken(err)
	}
	x.screen.Start(x.planned())
	runErr := runner.Run(running, x.plan, x.runOptions(run.Started), journal, x)
	wait := x.metrics.lingering(ctx, x.app, x.flags.quiet) // before the run stops to listen: no interrupt falls between
	stopped := interrupted()
	x.linger = func() { wait(stopped) }
	return x.conclude(ctx, run, journal, runErr, stopped)
}

// listen prepares whatever wants to hear of the run besides the reports.
func (x *execution) listen(ctx context.Context, run *result.Run) (err error) {
	if x.traces, err = x.app.openTraces(ctx, x.flags, run); err != nil {
		return err
	}
	if x.metrics, err = x.flags.metrics.open(ctx, x.plan, run, x.app.secrets); err != nil {
		return err
	}
	if x.evals, err = x.flags.dispatch.open(ctx, x.announce, x.app.secrets); err != nil {
		return err
	}
	x.events, err = x.app.openEvents(x.flags.events)
	return err
}

// release lets go of those that wanted to hear of the run.
func (x *execution) release() error {
	x.traces.finish(x.app)
	x.evals.close()
	lost := errors.Join(x.events.close(), x.logs.close())
	if lost != nil {
		lost = broken(lost)
	}
	if x.linger != nil { // when all else has been written and closed
		x.linger()
	}
	return errors.Join(lost, x.metrics.close())
}

// announce shows a line, before there is a screen as well.
func (x *execution) announce(text string) {
	if x.live.Load() {
		x.note(text)
		return
	}
	x.app.complain(errors.New(text))
}

func closed(f *os.File) error {
	if err := f.Close(); err != nil {
		return broken(fmt.Errorf("close %s: %w", filepath.Base(f.Name()), err))
	}
	return nil
}

// begin tells that the run starts.
func (x *execution) begin(run *result.Run) error {
	x.clock.now = x.app.Now
	return x.tell(result.RunStarted{
		At: result.At{Time: run.Started, Turn: result.NoTurn}, Arena: run.Arena, Name: run.Name, Planned: run.Planned,
		Kept: x.past.stays(),
	})
}

// tell hands an event to those who want to hear of everything.
func (x *execution) tell(e result.Event) error {
	x.clock.heard(e)
	x.traces.handle(e)
	return x.events.handle(e)
}

// Handle implements runner.Sink: it hears of a trial when it is on disk. Whatever fails, the trial is collected.
func (x *execution) Handle(e result.Event) error {
	x.showNotes()
	x.metrics.handle(e)
	x.show(e)
	return errors.Join(x.logs.handle(e), x.tell(e))
}

// show collects what reports will need of an event, and puts it on the screen.
func (x *execution) show(e result.Event) {
	switch e := e.(type) {
	case result.TrialStarted:
		x.screen.TrialStarted(e.ID)
	case result.TrialDone:
		b := x.collect.Add(e.Trial)
		x.changes.add(e.Trial)
		if e.Trial.Status == result.Cancelled && len(e.Trial.Turns) == 0 {
			return // never started: the summary counts it, a line would say nothing
		}
		x.screen.TrialDone(&b, e.Trial)
	}
}

// note queues a line for the screen. When too many wait, this one is dropped: a trial that crashed says so itself.
func (x *execution) note(text string) {
	select {
	case x.notes <- text:
	default:
	}
}

func (x *execution) showNotes() {
	for {
		select {
		case text := <-x.notes:
			x.screen.Note(text)
		default:
			return
		}
	}
}

// conclude folds what finished, writes every report and settles the exit status. It does so as well when the run was
// cut short: what was paid for is reported.
func (x *execution) conclude(
	ctx context.Context, run *result.Run, journal *result.Journal, runErr error, interrupted bool,
) error {
	defer x.traces.finish(x.app) // when everything is said: it may have to wait for a collector
	run.DurationMS = float64(x.app.Now().Sub(run.Started).Round(time.Microsecond)) / float64(time.Millisecond)
	x.collect.Finish(run)
	late := run.Unjudged()
	if !interrupted {
		late = append(late, x.plan.Unheard()...)
	}
	if show.Unfinished(run) == 0 { // otherwise the screen names those that are
		x.plan = nil // with all its scenarios and checks: reports take room themselves
	}
	for i := range late {
		run.Warnings = append(run.Warnings, late[i].Line())
	}
	journal.Bind(run)
	endErr := journal.Close(result.JournalFooter{
		DurationMS: run.DurationMS, Interrupted: interrupted, Warnings: run.Warnings,
	})
	reportErr := errors.Join(x.out.WriteAll(run), x.metrics.finish(ctx, run),
		x.tell(result.RunCompletedOf(run, x.clock.at(), interrupted)), x.events.close())
	x.showNotes()
	screenErr := x.screen.Finish(run, append(x.out.Paths(), x.metrics.paths()...)...)
	people, _ := x.flags.humans(x.app)
	changeErr := x.changes.write(people, x.out.Dir, x.app.secrets)
	if err := errors.Join(runErr, endErr, reportErr, screenErr, changeErr, annotate(x.app, people, run)); err != nil {
		x.app.complain(err)
		if code := run.Exit(interrupted); code != result.ExitPassed {
			return exit(code)
		}
		return exit(result.ExitError)
	}
	return exit(run.Exit(interrupted))
}

func (x *execution) runOptions(started time.Time) runner.Options {
	f := x.flags
	o := f.deciding()
	o.Jobs, o.FailFast, o.Now, o.Started = x.jobs, f.failFast, x.app.Now, started
	o.Cassettes, o.Again, o.Elsewhere = x.deck, f.recorder(), x.evals.elsewhere()
	o.Scrub = x.app.secrets.Bytes
	o.Events = x.events != nil || x.logs != nil || x.traces != nil
	o.Crash = func(trial string, cause any, stack []byte) {
		x.note(fmt.Sprintf("trial %s crashed: %v\n%s", trial, cause, stack))
	}
	if x.past != nil {
		o.Kept, o.Earlier = x.past.keeps, func(i int) []result.Attempt { return x.past.earlier[i] }
	}
	return o
}
