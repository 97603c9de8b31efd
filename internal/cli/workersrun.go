package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/fleet"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// fleetRun is a run whose trials are run by workers. It implements runner.Remote. Its methods do nothing on nil.
type fleetRun struct {
	client *nats.Client
	trials *nats.Trials
	app    *App
	flags  *workersFlags

	about  fleet.Run
	deck   *cassette.Folder   // nil: nothing is recorded or replayed
	bundle *spooled           // the files of the project
	tapes  *spooled           // the existing cassettes; nil: none
	before *result.WorkersRun // the resumed run; nil: none
	// replaced is an unfinished run that this one replaces in the results folder; nil: none.
	replaced  *result.WorkersRun
	notify    func(string)
	fleet     *fleet.Coordinator
	stopped   sync.Once
	halting   sync.WaitGroup
	takenOver atomic.Bool // another coordinator has resumed the run
	quit      func()      // stops listening
}

// connectFleet connects to the broker. If the run is resumed, it first stores the results that the broker still holds
// in the journal. Without --workers it returns nil.
func (f *workersFlags) connectFleet(
	ctx context.Context, app *App, run *runFlags, out *harness.Outputs, deck *cassette.Folder,
) (*fleetRun, error) {
	if f.url == "" {
		return nil, nil
	}
	r := &fleetRun{app: app, flags: f, notify: app.printMessage, quit: func() {}, deck: deck}
	broker := run.dispatch.brokerFlags
	broker.url, broker.stream = f.url, trialsStream(&broker, run.given)
	o := broker.options("arena run", 0, func(text string) { r.notify(text) })
	o.Scrub = app.secrets.JSON
	const connecting = 30 * time.Second
	limited, cancel := context.WithTimeoutCause(ctx, connecting, fmt.Errorf("no answer within %s", connecting))
	defer cancel()
	var err error
	if r.client, err = nats.Connect(limited, o); err != nil {
		return nil, broken(fmt.Errorf("--workers: %w", err))
	}
	if r.trials, err = r.client.PrepareTrials(limited); err != nil {
		r.client.Close()
		return nil, broken(fmt.Errorf("--workers: %w", err))
	}
	if !run.resumes() {
		r.replaced = unfinishedAtBroker(out)
		return r, nil
	}
	if err := harness.WithRecordingLock(deck, func() error { return r.collect(ctx, out) }); err != nil {
		r.client.Close()
		return nil, broken(fmt.Errorf("--workers: %w", err))
	}
	return r, nil
}

// unfinishedAtBroker is the run in a folder for which workers may still run trials; nil: none.
func unfinishedAtBroker(out *harness.Outputs) *result.WorkersRun {
	was, err := harness.Skim(harness.LastJournalIn(out.Dir))
	if err != nil || was.Unfinished == 0 { // errors are reported elsewhere
		return nil
	}
	return was.Header.Workers
}

// collect stores the results that the broker holds of the last run in its journal.
func (r *fleetRun) collect(ctx context.Context, out *harness.Outputs) (err error) {
	file, err := out.LastJournal()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // reported when the journal is needed
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	ledger, err := result.ReadJournal(file)
	if err != nil || ledger.Header.Workers == nil {
		return nil // reported when the journal is needed
	}
	r.before = ledger.Header.Workers
	if ledger.Closed() { // it ended by itself: later results were cut short
		return r.trials.Taken(ctx, r.before.Run)
	}
	var lines [][]byte
	err = r.trials.Held(ctx, r.before.Run, func(index int, o *fleet.Outcome, err error) {
		if err == nil && o.Line != nil && ledger.Current[index] == nil {
			var t *result.Trial
			if t, err = heldTrial(o, index); err == nil {
				var line []byte
				if line, err = result.EncodeLine(t); err == nil {
					lines = append(lines, line)
					err = r.keepHeldTape(o)
				}
			}
		}
		if err != nil {
			r.app.printMessage(fmt.Sprintf("a result that the broker held was refused: %v", err))
		}
	})
	if err != nil || len(lines) == 0 {
		return err
	}
	if err := ledger.Add(file, lines); err != nil {
		return err
	}
	r.app.remark("%s came from workers while nobody waited, and stand in the journal now",
		plural.Of(len(lines), "result", "results"))
	return r.trials.Taken(ctx, r.before.Run)
}

// heldTrial is the trial of an outcome for which no coordinator waited.
func heldTrial(o *fleet.Outcome, index int) (*result.Trial, error) {
	if err := result.Readable(o.Line, true); err != nil {
		return nil, fmt.Errorf("it %w", err)
	}
	t, err := result.DecodeLine(o.Line)
	if err != nil {
		return nil, err
	}
	if t.ID != o.Trial || t.Fingerprint != o.Fingerprint || t.Index != index {
		return nil, fmt.Errorf("it is of the trial %q, and what is in it of %q", o.Trial, t.ID)
	}
	return t, nil
}

// pack packs the files, and decides whether the earlier run continues at the broker.
func (r *fleetRun) pack(
	app *App, f *runFlags, suite *scenario.Suite, plan *runner.Plan, out *harness.Outputs, resumed *resumption,
) error {
	if r == nil {
		return nil
	}
	packed, spool, err := packProject(app, f, suite, out, r.deck)
	if err != nil {
		return err
	}
	r.bundle = spool
	tapes, err := r.packTapes()
	if err != nil {
		return err
	}
	opts := f.trialOptions()
	r.about = fleet.Run{
		Arena: versionText(), Name: plan.Name, Plan: runner.NewFingerprints(&opts).Plan(plan), Trials: plan.Len(),
		Bundle: fleet.Bundle{SHA256: packed.SHA256, Size: packed.Size}, Tapes: tapes, Spec: r.spec(f),
		Coordinator: strings.ToLower(rand.Text()), NoTraces: f.noTraces,
	}
	r.about.Variables, _ = f.variables.named(suite)
	for t := range plan.Groups() {
		if need := t.Needs(); !slices.Contains(r.about.Needs, need) {
			r.about.Needs = append(r.about.Needs, need)
		}
	}
	slices.Sort(r.about.Needs)
	before := r.before
	if before != nil && resumed != nil && before.Plan == r.about.Plan && before.Bundle == packed.SHA256 {
		r.about.ID = before.Run
		return nil
	}
	r.about.ID = strings.ToLower(rand.Text())
	return nil
}

// workersRun is the description of the run at the broker, for the journal.
func (r *fleetRun) workersRun() *result.WorkersRun {
	if r == nil {
		return nil
	}
	return &result.WorkersRun{Run: r.about.ID, Plan: r.about.Plan, Bundle: r.about.Bundle.SHA256}
}

// start announces the run to workers, and listens for results. story says which details trials report; nil: none.
func (r *fleetRun) start(
	ctx context.Context, started time.Time, story *result.StoryDetail, tell func(string),
) error {
	if r == nil {
		return nil
	}
	r.about.Story = story
	r.notify, r.about.Started = tell, started
	if b := r.before; b != nil && b.Run != r.about.ID { // no coordinator waits for its trials any more
		if err := r.finish(ctx, &fleet.Run{ID: b.Run, Stopped: "another plan took its place"}); err != nil {
			return broken(fmt.Errorf("--workers: %w", err))
		}
	}
	if err := r.publish(ctx); err != nil {
		return broken(fmt.Errorf("--workers: %w", err))
	}
	r.fleet = &fleet.Coordinator{
		Run: r.about.ID, Trials: r.about.Trials, Again: r.before != nil && r.before.Run == r.about.ID,
		Ask: r.trials.Ask, Halt: r.halted, Notify: func(text string) { r.notify(text) },
		Warn: r.flags.warnAfter(), Patience: r.flags.timeout, Now: time.Now, // real time, never fixed
	}
	return r.listen(ctx)
}

// publish stores what workers need to run trials.
func (r *fleetRun) publish(ctx context.Context) error {
	err := r.put(ctx, r.bundle, &r.about.Bundle)
	if err == nil && r.tapes != nil {
		err = r.put(ctx, r.tapes, r.about.Tapes)
	}
	if err != nil {
		return err
	}
	return r.trials.Announce(ctx, &r.about)
}

func (r *fleetRun) put(ctx context.Context, spool *spooled, named *fleet.Bundle) error {
	content, err := spool.read()
	if err != nil {
		return err
	}
	return r.trials.PutFile(ctx, bundleFile(*named), content)
}

// stopReplacedRun stops the workers of the run that this one replaces. Their results stay at the broker, in case that
// run is resumed.
func (r *fleetRun) stopReplacedRun(ctx context.Context) {
	if r == nil || r.replaced == nil {
		return
	}
	run := &fleet.Run{
		ID: r.replaced.Run, Coordinator: r.about.Coordinator, Stopped: "another run took its place in the results folder",
	}
	if err := errors.Join(r.trials.Announce(ctx, run), r.trials.Recall(ctx, run.ID)); err != nil {
		r.notify(fmt.Sprintf("workers may still run trials of the run whose place this one takes: %v", err))
		return
	}
	r.notify("workers run no more trials of the run whose place this one takes")
}

func (r *fleetRun) listen(ctx context.Context) error {
	silence, err := r.trials.Presences(r.about.ID, r.fleet.Presence)
	if err != nil {
		return broken(fmt.Errorf("--workers: %w", err))
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var all sync.WaitGroup
	all.Go(func() { r.fleet.Break(r.trials.Outcomes(ctx, r.about.ID, r.fleet.Outcome)) })
	all.Go(func() { r.fleet.Break(r.trials.WatchRun(ctx, r.about.ID, r.onRun)) })
	all.Go(func() {
		r.fleet.Break(r.trials.Watch(ctx, func() {
			if !r.takenOver.Load() {
				r.republish(ctx)
			}
		}))
	})
	all.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if !r.client.Away() { // while the broker is away, no worker can be heard
					r.fleet.Look()
				}
			}
		}
	})
	r.quit = func() {
		cancel()
		all.Wait()
		silence()
	}
	return nil
}

// republish publishes again what the broker lost. The journal is not affected.
func (r *fleetRun) republish(ctx context.Context) {
	r.notify("the broker has lost what it held; the run is announced to it again")
	if err := r.publish(ctx); err != nil {
		r.fleet.Break(fmt.Errorf("the broker has lost what it held: %w", err))
		return
	}
	r.fleet.Lost()
}

// onRun handles an announcement of the run: another coordinator may have resumed it.
func (r *fleetRun) onRun(run *fleet.Run, err error) {
	if err != nil || run.Coordinator == r.about.Coordinator {
		return
	}
	r.takenOver.Store(true)
	r.fleet.Break(errors.New("another arena run has taken over this one at the broker: it was resumed, or started " +
		"again, from the same results folder or a copy of it, and what workers do is for that one now"))
}

func (r *fleetRun) orNil() runner.Remote {
	if r == nil {
		return nil
	}
	return r
}

// Run implements runner.Remote.
func (r *fleetRun) Run(ctx context.Context, t runner.RemoteTrial, started func()) (*runner.RemoteResult, error) {
	defer context.AfterFunc(ctx, func() { r.halt(context.WithoutCancel(ctx), context.Cause(ctx)) })()
	o, err := r.fleet.Do(ctx, &fleet.Job{
		Index: t.Index, Trial: t.ID, Fingerprint: t.Fingerprint, Needs: t.Needs,
	}, started)
	switch {
	case err != nil:
		return nil, err
	case o.Error != "":
		return nil, fmt.Errorf("the workers gave the trial up: %s", o.Error)
	}
	return &runner.RemoteResult{Line: o.Line, Story: r.storyOf(o), Unrecorded: r.keepTape(o, t.Cassette)}, nil
}

// storyOf are the events in a trial; nil: not wanted, or unreadable, which is reported.
func (r *fleetRun) storyOf(o *fleet.Outcome) *result.Story {
	if r.about.Story == nil {
		return nil
	}
	err := errors.New("the worker sent none")
	if p := o.Parts[fleet.StoryPart]; p != nil {
		if err = nil; p.Error != "" {
			err = errors.New(p.Error)
		}
		var story *result.Story
		if err == nil {
			if story, err = result.DecodeStory(p.Data); err == nil {
				return story
			}
		}
	}
	r.notify(fmt.Sprintf("what happened in the trial %s is not told: %v", o.Trial, err))
	return nil
}

// halt tells workers to start no more trials, and withdraws jobs that no worker has begun.
func (r *fleetRun) halt(ctx context.Context, cause error) {
	if r.takenOver.Load() {
		return
	}
	r.stopped.Do(func() {
		r.halting.Go(func() {
			about := r.about
			about.Stopped = short(r.app.secrets.Text(runner.StopReason(cause)))
			ctx, cancel := context.WithTimeout(ctx, haltTimeout)
			defer cancel()
			err := errors.Join(r.trials.Announce(ctx, &about), r.trials.Recall(ctx, about.ID))
			if err != nil {
				r.notify(fmt.Sprintf("the workers may go on for a while: %v", err))
			}
		})
	})
}

// halted halts the run and waits. The round trips to the broker also deliver earlier messages, such as which trials
// have begun.
func (r *fleetRun) halted(ctx context.Context) {
	r.halt(context.WithoutCancel(ctx), context.Cause(ctx))
	r.halting.Wait()
}

// haltTimeout limits how long the end of a run waits for the broker.
const haltTimeout = 10 * time.Second

// end tells workers that the run is over, and removes its data from the broker.
func (r *fleetRun) end(ctx context.Context) {
	if r == nil || r.fleet == nil {
		return
	}
	r.halting.Wait()
	r.quit()
	ctx, cancel := context.WithTimeout(ctx, haltTimeout)
	defer cancel()
	if r.takenOver.Load() { // it belongs to the other coordinator
		return
	}
	if err := r.finish(ctx, &fleet.Run{ID: r.about.ID, Stopped: "the run is over"}); err != nil {
		r.notify(fmt.Sprintf("what the broker holds of the run stays there: %v", err))
	}
	if told := r.fleet.DeliveryNote(); told != "" {
		r.notify(told)
	}
}

// finish ends a run at the broker.
func (r *fleetRun) finish(ctx context.Context, run *fleet.Run) error {
	run.Coordinator = r.about.Coordinator
	return errors.Join(r.trials.Announce(ctx, run), r.trials.Forget(ctx, run.ID))
}

// close lets go of the broker.
func (r *fleetRun) close() {
	if r == nil {
		return
	}
	r.client.Close()
	if err := errors.Join(r.bundle.remove(), r.tapes.remove()); err != nil {
		r.notify(err.Error())
	}
}
