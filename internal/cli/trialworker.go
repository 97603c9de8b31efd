package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/fleet"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/runner"
)

// trialWorker runs the trials of runs of others, one run after the other.
type trialWorker struct {
	app    *App
	flags  *workerFlags
	trials *nats.Trials
	name   string
	notify func(string)

	mu      sync.Mutex
	runs    []*fleet.Run // that ask for trials, the oldest first
	refused map[string]string
	served  *fleet.Run      // as it was told of last; nil: none is
	present *fleet.Presence // of the run that is served; nil: none is
	holds   func() []int    // its trials that are in hand
	news    chan struct{}   // has something when runs may have changed
	changed func()          // tells who serves a run
	running int
	done    int
	idle    time.Time // since when nothing runs
	began   time.Time // to serve the present run
}

// runTrials is `arena worker --trials`.
func (f *workerFlags) runTrials(ctx context.Context, app *App) error {
	w := &trialWorker{
		app: app, flags: f, name: workerName(), notify: newNotifier(app), refused: map[string]string{},
		news: make(chan struct{}, 1), idle: time.Now(),
	}
	soft, stopped := app.interruptible(ctx, runner.Stop(), func() {
		w.notify("stopping: what is in hand is finished; interrupt again to quit at once")
	})
	defer stopped()
	broker := f.brokerFlags
	broker.url, broker.stream = f.trials, trialsStream(&broker, f.given)
	o := broker.options("arena worker", 0, w.notify)
	o.NoCreate, o.Scrub, o.MaxAway = f.noCreate, app.secrets.JSON, f.idle
	client, err := nats.Connect(soft, o)
	if soft.Err() != nil {
		return nil
	}
	if err != nil {
		return broken(err)
	}
	defer client.Close()
	if w.trials, err = client.PrepareTrials(soft); err != nil {
		return ifBroken(ignoring(soft, err))
	}
	w.notify(fmt.Sprintf("%s: worker %s waits for trials, %d at once", client.Address(), w.name, f.jobs))
	err = w.work(ctx, soft)
	w.notify(plural.Of(w.done, "trial", "trials") + " done")
	return ifBroken(err)
}

// work serves runs until it is told to stop, or has been idle for long enough.
func (w *trialWorker) work(ctx, soft context.Context) error {
	soft, cancel := context.WithCancelCause(soft)
	defer cancel(nil)
	var following sync.WaitGroup
	defer following.Wait()
	for _, follow := range []func() error{
		func() error { return w.trials.Runs(soft, w.onRun) },
		func() error { return w.trials.Watch(soft, w.lost) },
	} {
		following.Go(func() {
			if err := follow(); err != nil {
				cancel(err)
			}
		})
	}
	defer cancel(nil)
	tick := time.NewTicker(fleet.Heartbeat)
	defer tick.Stop()
	idle := make(<-chan time.Time)
	if w.flags.idle > 0 {
		looking := time.NewTicker(max(w.flags.idle/4, time.Millisecond)) //nolint:mnd // often enough
		defer looking.Stop()
		idle = looking.C
	}
	for {
		if w.isIdle() {
			w.leave()
			return nil
		}
		if run := w.next(); run != nil && soft.Err() == nil {
			if err := w.serve(ctx, soft, run); err != nil {
				return err
			}
			continue
		}
		select {
		case <-soft.Done():
			w.leave()
			return ignoreStop(soft)
		case <-w.news:
		case <-tick.C:
			w.announceRefusals()
		case <-idle: // looked at above
		}
	}
}

// ignoreStop is the error that ended a worker, and nil where somebody stopped it.
func ignoreStop(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, runner.Stop()) || errors.Is(cause, context.Canceled) {
		return nil
	}
	return cause
}

// onRun takes the announcement of a run.
func (w *trialWorker) onRun(r *fleet.Run, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		if r == nil || r.ID == "" || w.refused[r.ID] != "" {
			return
		}
		w.refused[r.ID] = err.Error()
		w.notify(fmt.Sprintf("run %s is refused: %v", r.ID, err))
		w.trials.Present(&fleet.Presence{Run: r.ID, Worker: w.name, Arena: versionText(), Refuses: err.Error()})
		return
	}
	kept := w.runs[:0]
	for _, had := range w.runs {
		if had.ID != r.ID {
			kept = append(kept, had)
		}
	}
	w.runs = kept
	if w.served != nil && w.served.ID == r.ID {
		w.served = r
	}
	if r.Stopped == "" {
		w.runs = append(w.runs, r)
	}
	delete(w.refused, r.ID) // what is told anew may have become better
	select {
	case w.news <- struct{}{}:
	default:
	}
	if w.changed != nil {
		w.changed()
	}
}

// lost forgets the runs of which the broker has lost all but the one that is served: whoever waits for their trials
// tells of them again.
func (w *trialWorker) lost() {
	w.notify("the broker has lost what it held; what is in hand is finished, and its runs are waited for")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs = slices.DeleteFunc(w.runs, func(r *fleet.Run) bool { return w.present == nil || w.present.Run != r.ID })
}

// next is the oldest run that this worker has not refused, which is served from now on; nil: none.
func (w *trialWorker) next() *fleet.Run {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		if w.refused[r.ID] == "" {
			w.served = r
			return r
		}
	}
	return nil
}

// stopped is why the run that is served wants no more trials.
func (w *trialWorker) stopped() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return runner.StopFor(w.served.Stopped)
}

// currentRun is the latest announcement of a run; nil: none of its trials is to be run any more.
func (w *trialWorker) currentRun(id string) *fleet.Run {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// refuse takes no trial of a run, and says why.
func (w *trialWorker) refuse(r *fleet.Run, err error) {
	w.notify(fmt.Sprintf("run %s is refused: %v", r.ID, err))
	w.mu.Lock()
	w.refused[r.ID] = short(err.Error())
	w.mu.Unlock()
	w.announceRefusals()
}

// announceRefusals tells those whose runs are refused, or wait for another one, that this worker is there.
func (w *trialWorker) announceRefusals() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		switch {
		case w.present != nil && w.present.Run == r.ID:
			now := *w.present
			now.Holds = w.holds()
			w.trials.Present(&now)
		case w.refused[r.ID] != "":
			w.trials.Present(&fleet.Presence{Run: r.ID, Worker: w.name, Arena: versionText(), Refuses: w.refused[r.ID]})
		case w.present != nil:
			w.trials.Present(&fleet.Presence{Run: r.ID, Worker: w.name, Arena: versionText(), Busy: true})
		}
	}
}

// leave says that the worker goes.
func (w *trialWorker) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		w.trials.Present(&fleet.Presence{
			Run: r.ID, Worker: w.name, Arena: versionText(), Refuses: w.refused[r.ID], Leaves: true,
		})
	}
}

// busy counts the trials that run.
func (w *trialWorker) busy(more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running += more; w.running == 0 {
		w.idle = time.Now() // which goes on, unlike the clock of the app may
	}
	if more < 0 {
		w.done++
	}
}

// yields reports whether nothing of the run that is served was left to do for a while, and another one waits: then that
// one is next. A run may ask for nothing for ever, as one whose coordinator was killed.
func (w *trialWorker) yields(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running > 0 || time.Since(w.idle) < yieldAfter || time.Since(w.began) < yieldAfter {
		return false
	}
	other := false
	for _, r := range w.runs {
		other = other || r.ID != id && w.refused[r.ID] == ""
	}
	if !other {
		return false
	}
	for i, r := range w.runs {
		if r.ID == id {
			w.runs = append(append(w.runs[:i:i], w.runs[i+1:]...), r)
			break
		}
	}
	return true
}

// yieldAfter is after how long without a trial another run is served.
const yieldAfter = 3 * time.Second

// isIdle reports whether nothing was run for so long that the worker ends.
func (w *trialWorker) isIdle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flags.idle > 0 && w.running == 0 && time.Since(w.idle) >= w.flags.idle
}

// short is a reason that goes to others.
func short(text string) string {
	const limit = 1000 // bytes
	if len(text) > limit {
		return text[:limit] + "…"
	}
	return text
}

// notWithTrials are flags of workers that run evals.
var notWithTrials = []string{
	"nats", "pack", "config", "judge", "eval-groups", "eval-types", "lenient", "durable", "give-back", "output", "listen",
	"prompt", "session-ttl", "max-sessions",
}

// completeTrials refuses values that make no sense to a worker of trials.
func (f *workerFlags) completeTrials() error {
	broker := f.brokerFlags
	broker.url = f.trials
	errs := []error{broker.complete("trials")}
	for _, flag := range f.given.among(notWithTrials) {
		if f.given.typed(flag) {
			errs = append(errs, fmt.Errorf("--%s is for workers of evals: a worker of trials gets all of it with the run", flag))
		}
	}
	errs = append(errs, f.given.atLeast(1, "jobs", f.jobs), f.given.atLeast(1, "max-deliver", f.maxDeliver),
		f.given.atLeast(0, "retries", f.retries))
	if f.given.has("ack-wait") && f.ackWait < time.Second {
		errs = append(errs, fmt.Errorf("--ack-wait must be at least 1s, found %s", f.ackWait))
	}
	if f.given.has("idle") && f.idle <= 0 {
		errs = append(errs, fmt.Errorf("--idle must be above 0, found %s", f.idle))
	}
	return errors.Join(errs...)
}

// trialAckWait is after which silence of a worker its trials go to another one.
func (f *workerFlags) trialAckWait() time.Duration {
	if f.ackWait > 0 {
		return f.ackWait
	}
	return nats.DefaultAckWait
}
