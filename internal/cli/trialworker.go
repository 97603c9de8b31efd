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

// trialWorker runs trials for the runs of other machines, one run at a time.
type trialWorker struct {
	app    *App
	flags  *workerFlags
	trials *nats.Trials
	name   string
	notify func(string)

	mu       sync.Mutex
	runs     []*fleet.Run // announced runs, the oldest first
	refused  map[string]string
	served   *fleet.Run      // the run that is served, as announced at that time; nil: none
	presence *fleet.Presence // what the worker tells the run that it serves; nil: none
	inHand   func() []int    // indexes of its trials that this worker holds
	changes  chan struct{}   // receives a value when runs may have changed
	onChange func()          // called when the announcement of a run changes
	running  int
	done     int
	idle     time.Time // since when no trial runs
	began    time.Time // when this worker began to serve the run
}

// runTrials is `arena worker --trials`.
func (f *workerFlags) runTrials(ctx context.Context, app *App) error {
	w := &trialWorker{
		app: app, flags: f, name: workerName(), notify: newNotifier(app), refused: map[string]string{},
		changes: make(chan struct{}, 1), idle: time.Now(),
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
		return ifBroken(unlessStopped(soft, err))
	}
	w.notify(fmt.Sprintf("%s: worker %s waits for trials, %d at once", client.Address(), w.name, f.jobs))
	err = w.work(ctx, soft)
	w.notify(plural.Of(w.done, "trial", "trials") + " done")
	return ifBroken(err)
}

// work serves runs until it is stopped, or idle for --idle.
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
		looking := time.NewTicker(max(w.flags.idle/4, time.Millisecond)) // often enough
		defer looking.Stop()
		idle = looking.C
	}
	for {
		if w.isIdle() {
			w.leave()
			return nil
		}
		if run := w.nextRun(); run != nil && soft.Err() == nil {
			if err := w.serve(ctx, soft, run); err != nil {
				return err
			}
			continue
		}
		select {
		case <-soft.Done():
			w.leave()
			return ignoreStop(soft)
		case <-w.changes:
		case <-tick.C:
			w.announceRefusals()
		case <-idle: // looked at above
		}
	}
}

// ignoreStop drops an error that only says that the worker was stopped.
func ignoreStop(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, runner.Stop()) || errors.Is(cause, context.Canceled) {
		return nil
	}
	return cause
}

// onRun handles the announcement of a run.
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
	delete(w.refused, r.ID) // a new announcement may be acceptable
	select {
	case w.changes <- struct{}{}:
	default:
	}
	if w.onChange != nil {
		w.onChange()
	}
}

// lost forgets the runs that the broker lost, except the one that is served: their coordinators announce them again.
func (w *trialWorker) lost() {
	w.notify("the broker has lost what it held; what is in hand is finished, and its runs are waited for")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs = slices.DeleteFunc(w.runs, func(r *fleet.Run) bool { return w.presence == nil || w.presence.Run != r.ID })
}

// nextRun chooses the oldest run that this worker has not refused; nil: none.
func (w *trialWorker) nextRun() *fleet.Run {
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

// stopReason says why the served run wants no more trials.
func (w *trialWorker) stopReason() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return runner.StopFor(w.served.Stopped)
}

// currentRun is the latest announcement of a run; nil: it wants no more trials.
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

// refuse refuses a run and says why.
func (w *trialWorker) refuse(r *fleet.Run, err error) {
	w.notify(fmt.Sprintf("run %s is refused: %v", r.ID, err))
	w.mu.Lock()
	w.refused[r.ID] = short(err.Error())
	w.mu.Unlock()
	w.announceRefusals()
}

// announceRefusals tells each run that this worker serves it, refuses it, or is busy with another one.
func (w *trialWorker) announceRefusals() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		switch {
		case w.presence != nil && w.presence.Run == r.ID:
			now := *w.presence
			now.Holds = w.inHand()
			w.trials.Present(&now)
		case w.refused[r.ID] != "":
			w.trials.Present(&fleet.Presence{Run: r.ID, Worker: w.name, Arena: versionText(), Refuses: w.refused[r.ID]})
		case w.presence != nil:
			w.trials.Present(&fleet.Presence{Run: r.ID, Worker: w.name, Arena: versionText(), Busy: true})
		}
	}
}

// leave announces that the worker ends.
func (w *trialWorker) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		w.trials.Present(&fleet.Presence{
			Run: r.ID, Worker: w.name, Arena: versionText(), Refuses: w.refused[r.ID], Leaves: true,
		})
	}
}

// busy counts running trials.
func (w *trialWorker) busy(more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running += more; w.running == 0 {
		w.idle = time.Now() // real time: the clock of the app may be fixed
	}
	if more < 0 {
		w.done++
	}
}

// shouldYield reports whether the served run has had no work for a while, and another run waits: then the other one is
// next. A run whose coordinator was killed never ends by itself.
func (w *trialWorker) shouldYield(id string) bool {
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

// yieldAfter is the time without a trial after which another run is served.
const yieldAfter = 3 * time.Second

// isIdle reports whether the worker has been idle for --idle.
func (w *trialWorker) isIdle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flags.idle > 0 && w.running == 0 && time.Since(w.idle) >= w.flags.idle
}

// short shortens a reason that is sent to others.
func short(text string) string {
	const limit = 1000 // bytes
	if len(text) > limit {
		return text[:limit] + "…"
	}
	return text
}

// notWithTrials are flags for workers that run evals.
var notWithTrials = []string{
	"nats", "pack", "config", "judge", "eval-groups", "eval-types", "lenient", "durable", "give-back", "output", "listen",
	"prompt", "session-ttl", "max-sessions",
}

// completeTrials checks the flags of a trial worker.
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

// trialAckWait is the time without a sign of life after which the broker gives a trial to another worker.
func (f *workerFlags) trialAckWait() time.Duration {
	if f.ackWait > 0 {
		return f.ackWait
	}
	return nats.DefaultAckWait
}
