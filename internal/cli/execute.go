package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/report/term"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// execution is a run of the command line: what drives it, and who hears of it.
type execution struct {
	app     *App
	flags   *runFlags
	job     harness.Job
	run     *harness.Execution
	jobs    int
	resumed *resumption      // nil: the run starts anew
	deck    *cassette.Folder // nil: nothing is recorded, or replayed

	changes     *changeLog  // nil: the run is not held against another one
	metrics     *exporter   // nil: none are asked for
	evals       *dispatcher // nil: they are run here
	fleet       *fleetRun   // nil: the trials are run here
	events      *eventStream
	logs        *sessionLogs
	traces      *harness.Tracer
	keepServing func() // keeps the metrics up after the run; nil: does not
	screen      *term.Printer
	notes       chan string // from other goroutines, for the screen
	live        atomic.Bool // there is a screen
}

// perform runs the plan, while nobody else records into the same folder.
func (x *execution) perform(ctx context.Context) error {
	if x.deck == nil || x.deck.Records() { // a replay asks no model
		if err := x.flags.keepsReplies(); err != nil {
			return err
		}
	}
	return harness.WithRecordingLock(x.deck, func() error { return x.drive(ctx) })
}

// drive runs the plan.
func (x *execution) drive(ctx context.Context) (err error) {
	f := x.flags
	x.job.Arena, x.job.Now, x.job.ExitZero, x.job.Secrets = shortVersion(), x.app.Now, f.exitZero, x.app.secrets
	x.job.Replayed, x.job.Command = x.deck != nil && !x.deck.Records(), f.repeat()
	x.job.Spec = f.spec()
	x.job.Spec.Home = homeOf(x.job.Outputs.Dir)
	x.job.Resume, x.job.Workers = f.resumeWords(), x.fleet.named()
	x.run = harness.NewExecution(x.job)
	defer func() { err = errors.Join(err, x.release(ctx)) }()
	if err := x.listen(ctx); err != nil {
		return err
	}
	f.noteReplacedRun(x.app, x.job.Outputs, x.job.Plan.Len(), x.job.Spec)
	if err := x.run.Open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ifBroken(x.run.Close())) }()
	if err := x.run.Begin(x.keep); err != nil {
		return broken(err)
	}
	x.fleet.takePlace(ctx)
	if x.app.KeepPipes != nil {
		x.app.KeepPipes()
	}
	running, interrupted := x.app.interruptible(ctx, runner.Stop(), func() {
		x.note("stopping: trials in flight end now, reports follow; interrupt again to quit at once")
	})
	if err := x.begin(); err != nil {
		return broken(err)
	}
	x.screen, x.notes = newScreen(x.app, f, x.job.Outputs.Dir, len(x.job.Warnings)), make(chan string, 16)
	if store := f.store(); store != nil {
		store.Note, store.Secret = x.note, func(text []byte) bool { return x.app.secrets.Set().In(text) }
		store.Anew = f.lastFailed // what failed would only be heard again
	}
	x.live.Store(true)
	x.reportKept()
	x.screen.Start(x.planned())
	if f.toolStderr != nil {
		f.toolStderr.screen.Store(x.screen)
	}
	runErr := x.run.Drive(running, x.runOptions(), x.onEvent)
	wait := x.metrics.keepServing(ctx, x.app, f.quiet) // before the run stops to listen: no interrupt falls between
	stopped := interrupted()
	x.keepServing = func() { wait(stopped) }
	return x.conclude(ctx, runErr, stopped)
}

// keep adds a trial that was finished before the run was resumed.
func (x *execution) keep(t *result.Trial) {
	x.changes.add(t)
	x.logs.keep(t, x.run.Run.Started)
}

// listen opens the outputs that get the events of the run, besides the reports.
func (x *execution) listen(ctx context.Context) (err error) {
	if x.traces, err = x.app.openTraces(ctx, x.flags, x.run.Run); err != nil {
		return err
	}
	if x.metrics, err = x.flags.metrics.open(ctx, x.run.Plan, x.run.Run, x.job.Earlier, x.app.secrets); err != nil {
		return err
	}
	if x.evals, err = x.flags.dispatch.open(ctx, x.announce, x.app.secrets); err != nil {
		return err
	}
	if x.events, err = x.app.openEvents(x.flags.events); err != nil {
		return err
	}
	return x.fleet.start(ctx, x.run.Run.Started, x.story(), x.warn)
}

// story says which details trials report besides their results; nil: no output needs them.
func (x *execution) story() *result.StoryDetail {
	if !x.needsAllEvents() {
		return nil
	}
	return &result.StoryDetail{Content: x.traces.Content(), Media: x.logs != nil}
}

// needsAllEvents reports whether somebody wants to hear of all that happens.
func (x *execution) needsAllEvents() bool { return x.events != nil || x.logs != nil || x.traces != nil }

// release lets go of those that wanted to hear of the run.
func (x *execution) release(ctx context.Context) error {
	x.app.finishTraces(x.traces)
	x.evals.close()
	x.fleet.end(context.WithoutCancel(ctx))
	lost := errors.Join(x.events.close(), x.logs.close())
	if lost != nil {
		lost = broken(lost)
	}
	if x.keepServing != nil { // when all else has been written and closed
		x.keepServing()
	}
	return errors.Join(lost, x.metrics.close())
}

// announce shows a line, before there is a screen as well.
func (x *execution) announce(text string) {
	if x.live.Load() {
		x.note(text)
		return
	}
	x.app.printMessage(text)
}

// warn shows a line at once, on stderr. It may be called by any goroutine.
func (x *execution) warn(text string) {
	if !x.live.Load() || !x.screen.PrintAbove(text) {
		x.app.printMessage(text)
	}
}

// begin emits the event of the start of the run.
func (x *execution) begin() error {
	return x.emit(x.run.Started(x.resumed.stays()))
}

// emit hands events to the outputs that get all of them: traces and the stream of events.
func (x *execution) emit(list ...result.Event) (err error) {
	for _, e := range list {
		x.traces.Handle(e)
		err = errors.Join(err, x.events.handle(e))
	}
	return err
}

// onEvent is a harness.Listener.
func (x *execution) onEvent(e result.Event, ended *result.Brief) error {
	x.showNotes()
	x.metrics.handle(e)
	x.show(e, ended)
	return errors.Join(x.logs.handle(e), x.emit(e))
}

// show puts an event on the screen, and notes what a trial changed.
func (x *execution) show(e result.Event, ended *result.Brief) {
	switch e := e.(type) {
	case result.TrialStarted:
		x.screen.TrialStarted(e.ID)
	case result.TrialDone:
		x.changes.add(e.Trial)
		if e.Trial.Status == result.Cancelled && len(e.Trial.Turns) == 0 {
			return // never started: the summary counts it, a line would say nothing
		}
		x.screen.TrialDone(ended, e.Trial)
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

// conclude writes every report and settles the exit status. It does so as well when the run was cut short.
func (x *execution) conclude(ctx context.Context, runErr error, interrupted bool) error {
	defer x.app.finishTraces(x.traces) // when everything is said: it may have to wait for a collector
	x.job.Plan = nil                   // which is large, and nobody needs it any more but x.run
	x.run.Late = slices.Concat(x.run.Late, x.logs.unfinished(), harness.CacheWarnings(x.flags.replies), x.deck.Unread())
	x.run.Claim(x.deckClaims()...)
	endErr := x.run.End(interrupted)
	run, out := x.run.Run, x.job.Outputs
	if x.flags.quiet { // keeps what is said of a run out of its summary, but not what is wrong
		x.app.printWarnings(run, len(x.job.Warnings))
	}
	hearErr := errors.Join(x.metrics.finish(ctx, run),
		x.emit(x.run.Completed(interrupted)...), x.events.close())
	x.showNotes()
	screenErr := x.screen.Finish(run, append(out.Written(), x.metrics.written()...)...)
	people, _ := x.flags.textOutput(x.app)
	changeErr := x.changes.write(people, run, out.Dir, x.app.secrets)
	err := errors.Join(runErr, endErr, hearErr, screenErr, changeErr, x.app.annotate(people, run, out.Rerun))
	if err != nil {
		x.app.complain(err)
	}
	return exit(harness.Exit(run, interrupted, err))
}

// deckClaims are what has to come up in what is recorded. Of trials that are kept nobody knows whether it did.
func (x *execution) deckClaims() []result.Claim {
	claims := x.deck.Claims()
	for i := range claims {
		claims[i].Met = claims[i].Met || x.resumed.stays() > 0
	}
	return claims
}

func (x *execution) runOptions() runner.Options {
	f := x.flags
	o := f.trialOptions()
	o.Eager, o.FreeScenarios = f.eager, true
	o.Jobs, o.MaxFailures, o.MaxCost, o.MaxTrials = x.jobs, f.failures(), f.maxCost, f.maxTrials
	o.Cassettes, o.Again, o.Dispatcher = x.deck, f.recorder(), x.evals.orNil()
	o.Remote = x.fleet.orNil()
	o.Scrub, o.Overspent = x.app.secrets.JSON, x.overspent
	o.Events = x.needsAllEvents()
	o.Crash = func(trial string, cause any, stack []byte) {
		x.note(fmt.Sprintf("trial %s crashed: %v\n%s", trial, cause, stack))
	}
	if x.resumed != nil {
		o.Kept, o.Earlier = x.resumed.keeps, func(i int) []result.Attempt { return x.resumed.earlier[i] }
		o.Unjudged = x.resumed.leftUnjudged
	}
	return o
}

// overspent tells that the limit of costs was not held: it says when trials start, and ends none.
func (x *execution) overspent(usd, simulated float64) {
	x.run.Late = append(x.run.Late, diag.Diagnostic{
		Severity: diag.Warning, Code: "over-limit",
		Msg: fmt.Sprintf("--max-cost %g was not held: %s was spent, since a trial that has started is not ended and came to "+
			"more than was expected", x.flags.maxCost, show.Spent(&usd, simulated)),
	})
}
