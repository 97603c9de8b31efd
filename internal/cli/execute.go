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

// execution is one run, with everything that takes part in it.
type execution struct {
	app     *App
	flags   *runFlags
	job     harness.Job
	run     *harness.Execution
	jobs    int
	resumed *resumption      // nil: a new run
	deck    *cassette.Folder // nil: nothing is recorded or replayed

	changes     *changeLog  // nil: not compared with an earlier run
	metrics     *exporter   // nil: no metrics
	evals       *dispatcher // nil: evals run in this process
	fleet       *fleetRun   // nil: trials run in this process
	events      *eventStream
	logs        *sessionLogs
	traces      *harness.Tracer
	keepServing func() // keeps the metrics server running after the run; nil: not needed
	screen      *term.Printer
	notes       chan string // from other goroutines, for the screen
	live        atomic.Bool // the screen is open
}

// perform runs the plan, with a lock on the folder of recordings.
func (x *execution) perform(ctx context.Context) error {
	if x.deck == nil || x.deck.Records() { // a replay calls no model
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
	x.job.Replayed, x.job.Command = x.deck != nil && !x.deck.Records(), f.rerunCommand()
	x.job.Spec = f.spec()
	x.job.Spec.Home = workingDirFrom(x.job.Outputs.Dir)
	x.job.Resume, x.job.Workers = f.resumeWords(), x.fleet.workersRun()
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
	x.fleet.stopReplacedRun(ctx)
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
		store.Anew = f.lastFailed // old replies would only fail again
	}
	x.live.Store(true)
	x.reportKept()
	x.screen.Start(x.planned())
	if f.toolStderr != nil {
		f.toolStderr.screen.Store(x.screen)
	}
	runErr := x.run.Drive(running, x.runOptions(), x.onEvent)
	wait := x.metrics.keepServing(ctx, x.app, f.quiet) // before the run stops listening for interrupts
	stopped := interrupted()
	x.keepServing = func() { wait(stopped) }
	return x.conclude(ctx, runErr, stopped)
}

// keep adds a kept trial to the outputs.
func (x *execution) keep(t *result.Trial) {
	x.changes.add(t)
	x.logs.keep(t, x.run.Run.Started)
}

// listen opens the outputs of events, besides the reports.
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

// needsAllEvents reports whether an output needs every event.
func (x *execution) needsAllEvents() bool { return x.events != nil || x.logs != nil || x.traces != nil }

// release closes the outputs of events.
func (x *execution) release(ctx context.Context) error {
	x.app.finishTraces(x.traces)
	x.evals.close()
	x.fleet.end(context.WithoutCancel(ctx))
	lost := errors.Join(x.events.close(), x.logs.close())
	if lost != nil {
		lost = broken(lost)
	}
	if x.keepServing != nil { // after everything else is written and closed
		x.keepServing()
	}
	return errors.Join(lost, x.metrics.close())
}

// announce shows a line, whether or not the screen is open.
func (x *execution) announce(text string) {
	if x.live.Load() {
		x.note(text)
		return
	}
	x.app.printMessage(text)
}

// warn prints a line to stderr at once. Any goroutine may call it.
func (x *execution) warn(text string) {
	if !x.live.Load() || !x.screen.PrintAbove(text) {
		x.app.printMessage(text)
	}
}

// begin emits the event of the start of the run.
func (x *execution) begin() error {
	return x.emit(x.run.Started(x.resumed.stays()))
}

// emit sends events to the outputs that get all of them: traces and the stream of events.
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

// show puts an event on the screen, and records changes of verdicts.
func (x *execution) show(e result.Event, ended *result.Brief) {
	switch e := e.(type) {
	case result.TrialStarted:
		x.screen.TrialStarted(e.ID)
	case result.TrialDone:
		x.changes.add(e.Trial)
		if e.Trial.Status == result.Cancelled && len(e.Trial.Turns) == 0 {
			return // never started: the summary counts it
		}
		x.screen.TrialDone(ended, e.Trial)
	}
}

// note queues a line for the screen. It drops the line if the queue is full: a crashed trial reports itself.
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

// conclude writes all reports and returns the exit status, also for an interrupted run.
func (x *execution) conclude(ctx context.Context, runErr error, interrupted bool) error {
	defer x.app.finishTraces(x.traces) // last, because it may wait for a collector
	x.job.Plan = nil                   // frees memory: only x.run is needed from here
	x.run.Late = slices.Concat(x.run.Late, x.logs.unfinished(), harness.CacheWarnings(x.flags.replies), x.deck.Unread(),
		x.deck.Gone())
	x.run.Claim(x.deckClaims()...)
	endErr := x.run.End(interrupted)
	run, out := x.run.Run, x.job.Outputs
	if x.flags.quiet { // -q drops remarks, not warnings
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

// deckClaims lists what must occur in a recording. Nobody knows whether it occurred in kept trials.
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
	o.Cassettes, o.Again, o.Dispatcher = x.deck, f.rerecordCommand(), x.evals.orNil()
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

// overspent reports costs above the limit: the limit stops new trials, and does not end running ones.
func (x *execution) overspent(usd, simulated float64) {
	x.run.Late = append(x.run.Late, diag.Diagnostic{
		Severity: diag.Warning, Code: "over-limit",
		Msg: fmt.Sprintf("--max-cost %g was not held: %s was spent, since a trial that has started is not ended and came to "+
			"more than was expected", x.flags.maxCost, show.Spent(&usd, simulated)),
	})
}
