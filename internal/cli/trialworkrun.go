package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/arena-evals/arena/internal/bundle"
	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/fleet"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// serve runs trials of a run, until none is wanted any more.
func (w *trialWorker) serve(ctx, soft context.Context, about *fleet.Run) (err error) {
	if own := versionText(); about.Arena != own {
		w.refuse(about, fmt.Errorf("it is of arena %s, and this worker is arena %s", about.Arena, own))
		return nil
	}
	home, err := os.Getwd()
	if err != nil {
		return err
	}
	dir, err := w.unpack(soft, about)
	if err != nil {
		if soft.Err() == nil {
			w.refuse(about, err)
		}
		return nil
	}
	defer func() { err = errors.Join(err, os.Chdir(home), os.RemoveAll(dir)) }()
	if err := os.Chdir(dir); err != nil {
		return err
	}
	limits, err := w.trials.Limits(about.ID)
	if err != nil {
		return err
	}
	defer limits.Close()
	plan, f, deck, err := w.plan(about, limits)
	if err != nil {
		w.refuse(about, err)
		return nil
	}
	defer plan.Close()
	return w.runTrialsOf(ctx, soft, about, plan, f, deck)
}

// unpack fetches the files of a run into a folder of their own.
func (w *trialWorker) unpack(ctx context.Context, about *fleet.Run) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "arena-run-*"); err != nil {
		return "", err
	}
	err = w.unpackInto(ctx, dir, &about.Bundle)
	if err == nil && about.Tapes != nil {
		err = w.unpackInto(ctx, dir, about.Tapes)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

func (w *trialWorker) unpackInto(ctx context.Context, dir string, b *fleet.Bundle) error {
	if b.Size > bundle.MaxBytes {
		return fmt.Errorf("its bundle has %d MiB, and at most %d MiB are taken", b.Size>>20, bundle.MaxBytes>>20)
	}
	packed, err := w.trials.GetFile(ctx, bundleFile(*b), b.Size)
	if err != nil {
		return err
	}
	return bundle.Unpack(bytes.NewReader(packed), b.SHA256, dir)
}

// plan makes the plan of a run out of its files, as the coordinator has made it.
func (w *trialWorker) plan(
	about *fleet.Run, limits *nats.Limits,
) (*runner.Plan, *runFlags, *cassette.Folder, error) {
	f := &runFlags{words: []string{"arena", "run"}, given: givenFlags{}, lacks: &lackingClients{}}
	f.enact(about.Spec)
	f.quiet, f.jobs, f.noTraces = true, w.flags.jobs, about.NoTraces
	f.shared = func(p *scenario.Project, spec *scenario.Provider) providers.Shared {
		name := p.File + " " + spec.ID
		return providers.Shared{
			Turns: limits.Of(name, spec.RPS, spec.Burst), Slots: limits.Slots(name, spec.MaxConcurrent),
		}
	}
	if w.flags.given.has("retries") {
		f.retries, f.given["retries"] = w.flags.retries, byUser
	}
	suite, diags := checks.Load(scenario.Options{
		Paths: f.paths, Config: f.config, MockConfig: f.mockConfig, Lenient: f.lenient, SkipEvals: f.filter.Skip,
		Regions: f.regions, AllowUncertain: f.allowUncertain, Getenv: f.variables.noting(w.app.Getenv),
	})
	w.app.watch(suite, diags)
	if f.noChaos {
		suite.DropChaos()
	}
	if diags.Errors() > 0 {
		return nil, nil, nil, mistakes(diags, f.lacksVariables(suite, about))
	}
	plan, deck := f.plan(w.app, suite, diags)
	if diags.Errors() > 0 {
		return nil, nil, nil, mistakes(diags, f.lacksVariables(suite, about))
	}
	opts := f.trialOptions()
	if sum := runner.NewFingerprints(&opts).Plan(plan); sum != about.Plan || plan.Len() != about.Trials {
		plan.Close()
		return nil, nil, nil, fmt.Errorf("the same files make another plan here, of %s: %s",
			plural.Of(plan.Len(), "trial", "trials"), cmp.Or(f.lacksVariables(suite, about), otherValues(about)))
	}
	if deck != nil {
		deck.Tapes = &cassette.Tapes{}
	}
	return plan, f, deck, nil
}

// lacksVariables says which variables the run has that this worker has not; "": none.
func (f *runFlags) lacksVariables(suite *scenario.Suite, about *fleet.Run) string {
	var lacks []string
	_, unset := f.variables.named(suite)
	for _, name := range unset {
		if slices.Contains(about.Variables, name) {
			lacks = append(lacks, name)
		}
	}
	if len(lacks) == 0 {
		return ""
	}
	return "this worker has no " + strings.Join(lacks, ", ") + " in its environment, which the run has"
}

// otherValues says where a worker and a run can differ that have the same variables.
func otherValues(about *fleet.Run) string {
	const files = "do they name files that are not in the bundle?"
	if len(about.Variables) == 0 {
		return files
	}
	return "do the variables that they make use of (" + strings.Join(about.Variables, ", ") +
		") have other values here, or " + files
}

// mistakes are those for which a run is refused.
func mistakes(diags *diag.List, lacks string) error {
	var lines []string
	if lacks != "" {
		lines = append(lines, lacks)
	}
	for _, d := range diags.Sorted() {
		if d.Severity == diag.Error {
			lines = append(lines, d.Line())
		}
	}
	const shown = 3
	if more := len(lines) - shown; more > 0 {
		lines = append(lines[:shown], fmt.Sprintf("and %d more", more))
	}
	return errors.New("its files cannot be run here: " + strings.Join(lines, "; "))
}

// enact takes over everything that was asked of a run.
func (f *runFlags) enact(then *result.Spec) {
	f.recall(then)
	f.paths = then.Paths
	recallValue(f.given, "lenient", &f.lenient, then.Lenient)
	recallValue(f.given, "allow-empty", &f.allowEmpty, then.AllowEmpty)
	recallValue(f.given, "allow-uncertain", &f.allowUncertain, then.AllowUncertain)
	recallValue(f.given, "allow-undecided", &f.allowUndecided, then.AllowUndecided)
	recallValue(f.given, "no-chaos", &f.noChaos, then.NoChaos)
	f.better = nil
}

// runTrialsOf takes the trials of a run that this worker can run.
func (w *trialWorker) runTrialsOf(
	ctx, soft context.Context, about *fleet.Run, plan *runner.Plan, f *runFlags, deck *cassette.Folder,
) error {
	here := w.presence(about, plan, f)
	if len(here.Serves) == 0 {
		w.refuse(about, lackingAll(here.Lacks))
		return nil
	}
	hard, end := context.WithCancelCause(ctx)
	defer end(nil)
	taking, enough := context.WithCancelCause(soft)
	defer enough(nil)
	single := runner.NewSingle(plan, w.singleOptions(about, f, deck))
	defer single.Close()
	jobs := &jobRunner{w: w, flags: f, about: about, here: here, single: single, deck: deck, enough: enough}
	served := &nats.TrialWorker{
		Trials: w.trials, Run: about.ID, Needs: here.Serves, Jobs: w.flags.jobs, Name: w.name, MaxDeliver: w.flags.maxDeliver,
		AckWait: w.flags.trialAckWait(), Notify: w.notify, Busy: w.busy,
		Check: func(j *fleet.Job) error { return fitsPlan(single, j) },
		Do:    jobs.run,
	}
	w.attend(here, served.Holds, func() {
		if w.currentRun(about.ID) == nil {
			enough(errRunOver)
			end(w.stopped())
		}
	})
	defer w.attend(nil, nil, nil)
	w.notify(fmt.Sprintf("run %s: %s, of which this worker takes those of %s", about.ID,
		plural.Of(about.Trials, "trial", "trials"), strings.Join(here.Serves, ", ")))
	beat, quiet := context.WithCancel(ctx)
	defer quiet()
	go w.beat(beat, taking, func() {
		if w.isIdle() || w.yields(about.ID) {
			enough(errRunOver)
		}
	})
	err := served.Serve(taking, hard)
	if why := jobs.lost.Load(); why != nil {
		w.refuse(about, *why)
		return nil
	}
	if soft.Err() != nil || errors.Is(context.Cause(taking), errRunOver) {
		return nil
	}
	return err
}

// presence says which providers of a run this worker can call, and what it lacks for the others.
func (w *trialWorker) presence(about *fleet.Run, plan *runner.Plan, f *runFlags) *fleet.Presence {
	here := &fleet.Presence{Run: about.ID, Worker: w.name, Arena: versionText(), Lacks: map[string]string{}}
	for t := range plan.Groups() {
		need := t.Needs()
		if err := f.lacks.of(t.Endpoint.Spec); err != nil {
			here.Lacks[need] = short(err.Error())
		} else if !slices.Contains(here.Serves, need) {
			here.Serves = append(here.Serves, need)
		}
	}
	return here
}

// singleOptions are the options with which this worker runs single trials of a run.
func (w *trialWorker) singleOptions(about *fleet.Run, f *runFlags, deck *cassette.Folder) runner.Options {
	opts := f.trialOptions()
	opts.Jobs, opts.Now, opts.Started, opts.Worker = w.flags.jobs, w.app.Now, about.Started, w.name
	opts.Scrub = w.app.secrets.JSON
	opts.Crash = func(trial string, cause any, stack []byte) {
		w.notify(fmt.Sprintf("trial %s crashed: %v\n%s", trial, cause, stack))
	}
	opts.Events, opts.Cassettes, opts.Again = about.Story != nil, deck, f.recorder()
	return opts
}

// jobRunner runs the jobs of one run. Its method run may be called by several goroutines.
type jobRunner struct {
	w      *trialWorker
	flags  *runFlags
	about  *fleet.Run
	here   *fleet.Presence
	single *runner.Single
	deck   *cassette.Folder
	enough context.CancelCauseFunc // takes no further job
	lost   atomic.Pointer[error]   // what a client turned out to lack
}

// run runs the trial of a job. An error gives the job back to the other workers.
func (r *jobRunner) run(ctx context.Context, j *fleet.Job) (*fleet.Done, error) {
	began := *r.here
	began.Started = &j.Index
	r.w.trials.Present(&began)
	out, line, story := r.single.Run(ctx, j.Index)
	if err := r.flags.lacks.wasAsked(); err != nil {
		r.lost.Store(&err)
		r.enough(err)
		return nil, err
	}
	if out.Status == result.Cancelled && r.w.currentRun(r.about.ID) != nil {
		return nil, errors.New("the worker was stopped")
	}
	return r.w.packed(r.about, line, story, takeTape(r.single, r.deck, j.Index))
}

// packed is what a trial sends back.
func (w *trialWorker) packed(
	about *fleet.Run, line []byte, story *result.Story, tape []byte,
) (*fleet.Done, error) {
	done := &fleet.Done{Line: line, Parts: map[string][]byte{}}
	if tape != nil {
		done.Parts[fleet.TapePart] = tape
	}
	if about.Story == nil {
		return done, nil
	}
	text, err := story.Encode(*about.Story, w.app.secrets.JSON)
	if err != nil { // what was paid for comes back in any case
		w.notify(err.Error())
		return done, nil
	}
	done.Parts[fleet.StoryPart] = text
	return done, nil
}

// errRunOver is why no more trials of a run are taken.
var errRunOver = errors.New("the run is over")

func lackingAll(lacks map[string]string) error {
	var parts []string
	for need, why := range lacks {
		parts = append(parts, need+": "+why)
	}
	slices.Sort(parts)
	return errors.New("this worker can run none of its trials: " + strings.Join(parts, "; "))
}

// fitsPlan refuses a job that is none of the plan.
func fitsPlan(single *runner.Single, j *fleet.Job) error {
	t, err := single.Name(j.Index)
	switch {
	case err != nil:
		return err
	case t.ID != j.Trial:
		return fmt.Errorf("the trial number %d is %s, and %q is asked for", j.Index, t.ID, j.Trial)
	case t.Fingerprint != j.Fingerprint:
		return fmt.Errorf("the trial %s has the fingerprint %s, and %q is asked for", t.ID, t.Fingerprint, j.Fingerprint)
	case t.Needs != j.Needs:
		return fmt.Errorf("the trial %s needs %s, and %q is asked for", t.ID, t.Needs, j.Needs)
	}
	return nil
}

// attend says what is served from now on, which trials are in hand, and who hears when something is told of a run.
func (w *trialWorker) attend(here *fleet.Presence, holds func() []int, changed func()) {
	w.mu.Lock()
	w.present, w.holds, w.changed, w.began = here, holds, nil, time.Now() // which goes on, unlike the clock of the app may
	w.mu.Unlock()
	if changed != nil {
		w.mu.Lock()
		w.changed = func() { go changed() }
		w.mu.Unlock()
		changed() // what was told meanwhile
	}
	w.announceRefusals()
}

// beat says again and again that the worker is there, until ctx ends, and looks whether it has enough of the run.
func (w *trialWorker) beat(ctx, taking context.Context, look func()) {
	tick := time.NewTicker(fleet.Heartbeat)
	defer tick.Stop()
	often := time.Second
	if idle := w.flags.idle; idle > 0 {
		often = min(often, max(idle/4, 10*time.Millisecond)) //nolint:mnd // often enough to end in time
	}
	looking := time.NewTicker(often)
	defer looking.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-taking.Done():
			return
		case <-tick.C:
			w.announceRefusals()
		case <-looking.C:
			look()
		}
	}
}
