package arena

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// Run loads what opts name and runs it: [Load], Run and Close in one.
func Run(ctx context.Context, opts Options) (*Result, error) {
	s, err := Load(opts)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Run(ctx)
}

// Run runs the trials with these ids, or all of them when there are none. It may be called again, and by several
// goroutines at once where [Options.Out] is empty.
//
// The result says what came of them; that an agent failed is no error. An error says that a folder could not be
// written, or that something else broke; when a run had begun, the result comes with it and has what finished, and its
// ExitCode is never 0. When ctx ends, trials in flight end as well, the others are cancelled, and the result is
// returned.
func (s *Suite) Run(ctx context.Context, ids ...string) (*Result, error) {
	plan, err := s.pick(ids)
	if err != nil {
		return nil, err
	}
	x := &execution{
		unlock: func() {}, onEvent: s.opts.OnEvent, now: s.opts.Now, plan: plan, trials: map[int]*result.Trial{},
	}
	file, err := x.open(s.opts.Dir, s.opts.Out)
	if err != nil {
		return nil, err
	}
	defer x.unlock()
	run := &result.Run{
		SchemaVersion: result.SchemaVersion, Arena: version(), Name: plan.Name, Started: s.opts.Now().UTC(),
		Planned: plan.Len(), FailOn: plan.FailOn, Warnings: s.warningTexts(),
	}
	journal, err := result.NewJournal(file, result.JournalHeader{
		Arena: run.Arena, Name: run.Name, Started: run.Started, Planned: run.Planned, FailOn: run.FailOn,
	})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	stoppable, stop := stoppable(ctx)
	options := s.opts.run(s.jobs, run.Started)
	if x.out != nil {
		options.Scrub, x.out.Secrets = s.secrets.Bytes, &s.secrets.Guard
	}
	runErr := runner.Run(stoppable, plan, options, journal, x)
	stop()
	out, err := x.conclude(run, journal, ctx.Err() != nil)
	out.Warnings = append(s.Warnings(), out.Warnings...)
	if err = errors.Join(runErr, err, file.Close()); err != nil {
		if out.ExitCode == result.ExitPassed {
			out.ExitCode = result.ExitError
		}
		return out, fmt.Errorf("arena: %w", err)
	}
	return out, nil
}

// stoppable ends, when ctx does, as a run ends that its user stops.
func stoppable(ctx context.Context) (context.Context, func()) {
	inner, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, func() { cancel(runner.Stop()) })
	return inner, func() {
		release()
		cancel(nil)
	}
}

// execution is one run of a plan.
type execution struct {
	onEvent func(Event)
	now     func() time.Time
	plan    *runner.Plan
	out     *harness.Outputs // nil: nothing is written
	unlock  func()           // lets go of the folder
	collect result.Collector
	trials  map[int]*result.Trial // that ended, by index
}

// journalFile is where a journal is written.
type journalFile interface {
	result.Syncer
	Close() error
}

func (x *execution) open(base, dir string) (journalFile, error) {
	if dir == "" {
		return noFile{}, nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(base, dir)
	}
	x.out = harness.NewOutputs(harness.Choice{Dir: dir})
	if err := x.out.Prepare(); err != nil {
		return nil, fmt.Errorf("arena: %w", err)
	}
	unlock, err := x.out.Lock(x.now())
	if err != nil {
		return nil, fmt.Errorf("arena: %w", err)
	}
	file, err := x.out.OpenJournal()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("arena: %w", err), unlock())
	}
	x.unlock = func() { _ = unlock() } // nothing was written that could be lost
	return file, nil
}

// Handle implements runner.Sink.
func (x *execution) Handle(e result.Event) error {
	if done, ok := e.(result.TrialDone); ok {
		x.collect.Add(done.Trial)
		x.trials[done.Trial.Index] = done.Trial
	}
	if x.onEvent == nil {
		return nil
	}
	return x.tell(context.Background(), eventFrom(e))
}

// conclude folds what finished and writes the reports.
func (x *execution) conclude(run *result.Run, journal *result.Journal, stopped bool) (*Result, error) {
	run.DurationMS = float64(x.now().Sub(run.Started).Round(time.Microsecond)) / float64(time.Millisecond)
	x.collect.Finish(run)
	late := run.Unjudged()
	if !stopped {
		late = append(late, x.plan.Unheard()...)
	}
	for i := range late {
		run.Warnings = append(run.Warnings, late[i].Line())
	}
	out := resultFrom(run, x.trials, stopped)
	out.Warnings = problemsFrom(late)
	err := journal.Close(result.JournalFooter{
		DurationMS: run.DurationMS, Interrupted: stopped, Warnings: run.Warnings,
	})
	if x.out == nil {
		return out, err
	}
	journal.Bind(run)
	out.Reports = x.out.Paths()
	return out, errors.Join(err, x.out.WriteAll(run))
}

// noFile takes the journal of a run that is not written down.
type noFile struct{}

func (noFile) Write(b []byte) (int, error)       { return len(b), nil }
func (noFile) ReadAt([]byte, int64) (int, error) { return 0, os.ErrInvalid }
func (noFile) Sync() error                       { return nil }
func (noFile) Close() error                      { return nil }

const module = "github.com/arena-evals/arena"

// version is that of the module, as results carry it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module && m.Version != "" && m.Version != "(devel)" {
			return m.Version
		}
	}
	return "dev"
}

// Suite is what some files hold, planned and ready to run. It is safe for concurrent use.
type Suite struct {
	opts     Options
	plan     *runner.Plan
	jobs     int
	warnings []Problem
	secrets  *harness.Vault // that nothing may hold which is written
}

// Load reads files, compiles every check in them, and plans their trials. It calls no model. What is wrong in the files
// is a [*ProblemsError] with all of it. Close lets go of what the suite holds.
func Load(opts Options) (*Suite, error) {
	own := opts.Getenv == nil
	hooks, err := opts.complete()
	if err != nil {
		return nil, err
	}
	suite, diags := runner.LoadWith(opts.source(), opts.Checks.checks())
	s := &Suite{opts: opts, secrets: secrets(suite, own), jobs: harness.Jobs(opts.Jobs, suite)}
	if diags.Errors() == 0 {
		s.prepare(suite, hooks, diags)
	} else {
		runner.ReportLater(suite, s.opts.plan(s.jobs, newClients(&s.opts, s.jobs, hooks)), diags)
	}
	if opts.Strict {
		diags.Promote()
	}
	if diags.Errors() > 0 {
		if s.plan != nil {
			s.plan.Close()
		}
		return nil, newProblemsError(diags, suite.Files, opts.Dir)
	}
	s.warnings = problemsFrom(diags.Sorted())
	return s, nil
}

func (s *Suite) prepare(suite *scenario.Suite, hooks []namedHook, d *diag.List) {
	if s.opts.Timeout > 0 {
		suite.LimitRuns(s.opts.Timeout)
	}
	for _, p := range suite.Projects {
		seat(p, s.opts.Judges)
	}
	s.opts.filter().Apply(suite, d)
	s.plan = runner.Make(suite, s.opts.plan(s.jobs, newClients(&s.opts, s.jobs, hooks)), d)
	s.secrets.WatchChecks(suite)
}

// Planned is a trial that a suite holds: one scenario with one provider.
type Planned struct {
	ID       string // the same in every run: refund/gpt-4o/default, and #2 for the second of several
	Scenario string
	Provider string
	Region   string
	Trial    int      // from 1
	Trials   int      // of this scenario with this provider, which are judged together
	Position Position // of the scenario
}

// Trials are what Run would run, in order.
func (s *Suite) Trials() []Planned {
	out := make([]Planned, 0, s.plan.Len())
	for t := range s.plan.All() {
		out = append(out, Planned{
			ID: t.ID(), Scenario: t.Scenario.ID, Provider: t.Endpoint.Spec.ID, Region: t.Region, Trial: t.N, Trials: t.Of,
			Position: positionFrom(t.Scenario.Pos),
		})
	}
	return out
}

// Warnings are what the files should be looked at for, and what keeps nothing from running.
func (s *Suite) Warnings() []Problem { return slices.Clone(s.warnings) }

// warningTexts are the warnings as reports have them.
func (s *Suite) warningTexts() []string {
	var texts []string
	for _, w := range s.warnings {
		texts = append(texts, (&diag.Diagnostic{Pos: w.Position.pos(), Msg: w.Message}).Line())
	}
	return texts
}

// Close lets go of connections. The suite can still be run.
func (s *Suite) Close() { s.plan.Close() }

// pick is the plan, or the part of it with these ids.
func (s *Suite) pick(ids []string) (*runner.Plan, error) {
	if len(ids) == 0 {
		return s.plan, nil
	}
	found := map[string]bool{}
	part := s.plan.Keep(func(t *runner.Trial) bool {
		id := t.ID()
		wanted := slices.Contains(ids, id)
		if wanted {
			found[id] = true
		}
		return wanted
	})
	for _, id := range ids {
		if !found[id] {
			var known []string
			for _, t := range s.Trials() {
				known = append(known, t.ID)
			}
			return nil, fmt.Errorf("arena: there is no trial %q%s", id, hint(id, known))
		}
	}
	return part, nil
}

func hint(name string, known []string) string {
	if near := diag.DidYouMean(name, known); near != "" {
		return "; " + strings.TrimRight(near, " ")
	}
	return ""
}

// clients opens providers, with the hooks around them and the judges of the program among them.
type clients struct {
	harness.Clients
	judges map[string]Judge // by the id of their provider
	hooks  []namedHook
}

func newClients(o *Options, jobs int, hooks []namedHook) *clients {
	c := &clients{
		Clients: harness.Clients{
			Jobs: jobs, Retries: o.Retries, Random: rand.Float64, // spreads retries and shows in no result
			Now: o.Now, Lenient: o.Lenient, Strict: o.Strict, Judge: o.Judge,
		},
		judges: map[string]Judge{}, hooks: hooks,
	}
	for name, j := range o.Judges {
		c.judges[judgeID(name)] = j
	}
	return c
}

// open is a runner.Opener.
func (c *clients) open(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
	if j := c.judges[spec.ID]; j != nil {
		return &bench{name: strings.TrimPrefix(spec.ID, judgeID("")), judge: j}, false, nil
	}
	client, simulated, err := c.Open(p, spec)
	if err != nil || len(c.hooks) == 0 {
		return client, simulated, err
	}
	return &hooked{next: client, hooks: c.hooks, origin: Origin{Provider: spec.ID, Model: spec.Model}}, simulated, nil
}
