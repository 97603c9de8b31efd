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

// serve runs trials of a run, until it wants no more.
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

// unpack downloads the files of a run into a temporary folder.
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

// plan plans a run from its files, in the same way as the coordinator.
func (w *trialWorker) plan(
	about *fleet.Run, limits *nats.Limits,
) (*runner.Plan, *runFlags, *cassette.Folder, error) {
	f := &runFlags{words: []string{"arena", "run"}, given: givenFlags{}, missingModels: &missingModels{}}
	f.fromSpec(about.Spec)
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
	w.app.learnSecrets(suite, diags)
	if f.noChaos {
		suite.DropChaos()
	}
	if diags.Errors() > 0 {
		return nil, nil, nil, mistakes(diags, f.missingVariables(suite, about))
	}
	plan, deck := f.plan(w.app, suite, diags)
	if diags.Errors() > 0 {
		return nil, nil, nil, mistakes(diags, f.missingVariables(suite, about))
	}
	opts := f.trialOptions()
	if sum := runner.NewFingerprints(&opts).Plan(plan); sum != about.Plan || plan.Len() != about.Trials {
		plan.Close()
		return nil, nil, nil, fmt.Errorf("the same files make another plan here, of %s: %s",
			plural.Of(plan.Len(), "trial", "trials"), cmp.Or(f.missingVariables(suite, about), otherValues(about)))
	}
	if deck != nil {
		deck.Tapes = &cassette.Tapes{}
	}
	return plan, f, deck, nil
}

// missingVariables lists variables that the run has and this worker lacks; "": none.
func (f *runFlags) missingVariables(suite *scenario.Suite, about *fleet.Run) string {
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

// otherValues explains how a worker and a run can differ with the same variables.
func otherValues(about *fleet.Run) string {
	const files = "do they name files that are not in the bundle?"
	if len(about.Variables) == 0 {
		return files
	}
	return "do the variables that they make use of (" + strings.Join(about.Variables, ", ") +
		") have other values here, or " + files
}

// mistakes are the problems for which a worker refuses a run.
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

// fromSpec takes over the options of a run.
func (f *runFlags) fromSpec(then *result.Spec) {
	f.recall(then)
	f.paths = then.Paths
	recallValue(f.given, "lenient", &f.lenient, then.Lenient)
	recallValue(f.given, "allow-empty", &f.allowEmpty, then.AllowEmpty)
	recallValue(f.given, "allow-uncertain", &f.allowUncertain, then.AllowUncertain)
	recallValue(f.given, "allow-undecided", &f.allowUndecided, then.AllowUndecided)
	recallValue(f.given, "no-chaos", &f.noChaos, then.NoChaos)
	f.droppedLeniency = nil
}

// runTrialsOf runs those trials of a run that this worker can run.
func (w *trialWorker) runTrialsOf(
	ctx, soft context.Context, about *fleet.Run, plan *runner.Plan, f *runFlags, deck *cassette.Folder,
) error {
	here := w.presenceFor(about, plan, f)
	if len(here.Serves) == 0 {
		w.refuse(about, joinMissing(here.Lacks))
		return nil
	}
	hard, end := context.WithCancelCause(ctx)
	defer end(nil)
	taking, enough := context.WithCancelCause(soft)
	defer enough(nil)
	single := runner.NewSingle(plan, w.singleOptions(about, f, deck))
	defer single.Close()
	jobs := &jobRunner{w: w, flags: f, about: about, here: here, single: single, deck: deck, stopTaking: enough}
	served := &nats.TrialWorker{
		Trials: w.trials, Run: about.ID, Needs: here.Serves, Jobs: w.flags.jobs, Name: w.name, MaxDeliver: w.flags.maxDeliver,
		AckWait: w.flags.trialAckWait(), Notify: w.notify, Busy: w.busy,
		Check: func(j *fleet.Job) error { return fitsPlan(single, j) },
		Do:    jobs.run,
	}
	w.setServed(here, served.Holds, func() {
		if w.currentRun(about.ID) == nil {
			enough(errRunOver)
			end(w.stopReason())
		}
	})
	defer w.setServed(nil, nil, nil)
	w.notify(fmt.Sprintf("run %s: %s, of which this worker takes those of %s", about.ID,
		plural.Of(about.Trials, "trial", "trials"), strings.Join(here.Serves, ", ")))
	beat, quiet := context.WithCancel(ctx)
	defer quiet()
	go w.heartbeat(beat, taking, func() {
		if w.isIdle() || w.shouldYield(about.ID) {
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

// presenceFor says which providers of a run this worker can call, and what it lacks for the others.
func (w *trialWorker) presenceFor(about *fleet.Run, plan *runner.Plan, f *runFlags) *fleet.Presence {
	here := &fleet.Presence{Run: about.ID, Worker: w.name, Arena: versionText(), Lacks: map[string]string{}}
	for t := range plan.Groups() {
		need := t.Needs()
		if err := f.missingModels.reason(t.Endpoint.Spec); err != nil {
			here.Lacks[need] = short(err.Error())
		} else if !slices.Contains(here.Serves, need) {
			here.Serves = append(here.Serves, need)
		}
	}
	return here
}

// singleOptions are the options for single trials of a run.
func (w *trialWorker) singleOptions(about *fleet.Run, f *runFlags, deck *cassette.Folder) runner.Options {
	opts := f.trialOptions()
	opts.Jobs, opts.Now, opts.Started, opts.Worker = w.flags.jobs, w.app.Now, about.Started, w.name
	opts.Scrub = w.app.secrets.JSON
	opts.Crash = func(trial string, cause any, stack []byte) {
		w.notify(fmt.Sprintf("trial %s crashed: %v\n%s", trial, cause, stack))
	}
	opts.Events, opts.Cassettes, opts.Again = about.Story != nil, deck, f.rerecordCommand()
	return opts
}

// jobRunner runs the jobs of one run. run may be called concurrently.
type jobRunner struct {
	w          *trialWorker
	flags      *runFlags
	about      *fleet.Run
	here       *fleet.Presence
	single     *runner.Single
	deck       *cassette.Folder
	stopTaking context.CancelCauseFunc // takes no further jobs
	lost       atomic.Pointer[error]   // why a model cannot be called, found out during a trial
}

// run runs the trial of a job. An error returns the job, for another worker.
func (r *jobRunner) run(ctx context.Context, j *fleet.Job) (*fleet.Done, error) {
	began := *r.here
	began.Started = &j.Index
	r.w.trials.Present(&began)
	out, line, story := r.single.Run(ctx, j.Index)
	if err := r.flags.missingModels.calledMissing(); err != nil {
		r.lost.Store(&err)
		r.stopTaking(err)
		return nil, err
	}
	if out.Status == result.Cancelled && r.w.currentRun(r.about.ID) != nil {
		return nil, errors.New("the worker was stopped")
	}
	return r.w.packed(r.about, line, story, takeTape(r.single, r.deck, j.Index))
}

// packed makes the outcome that a trial sends back.
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
	if err != nil { // the result was paid for: send it in any case
		w.notify(err.Error())
		return done, nil
	}
	done.Parts[fleet.StoryPart] = text
	return done, nil
}

// errRunOver says why no more trials of a run are taken.
var errRunOver = errors.New("the run is over")

func joinMissing(lacks map[string]string) error {
	var parts []string
	for need, why := range lacks {
		parts = append(parts, need+": "+why)
	}
	slices.Sort(parts)
	return errors.New("this worker can run none of its trials: " + strings.Join(parts, "; "))
}

// fitsPlan refuses a job that is not in the plan.
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

// setServed sets the run that is served, the trials that this worker holds, and the function to call when the
// announcement changes.
func (w *trialWorker) setServed(here *fleet.Presence, holds func() []int, changed func()) {
	w.mu.Lock()
	w.presence, w.inHand, w.onChange, w.began = here, holds, nil, time.Now() // real time, never fixed
	w.mu.Unlock()
	if changed != nil {
		w.mu.Lock()
		w.onChange = func() { go changed() }
		w.mu.Unlock()
		changed() // the announcement may have changed meanwhile
	}
	w.announceRefusals()
}

// heartbeat announces the worker regularly until ctx ends, and calls look regularly.
func (w *trialWorker) heartbeat(ctx, taking context.Context, look func()) {
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
