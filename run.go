package arena

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/cache"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

// Run loads the files that opts name and runs their trials: [Load], Run and Close in one.
func Run(ctx context.Context, opts Options) (*Result, error) {
	s, err := Load(opts)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Run(ctx)
}

// Run runs the trials with these ids (see [Suite.Trials]), or all trials if there are none. It may be called
// repeatedly, and concurrently if nothing is written: if [Options.Out], Record and the File of Metrics are empty.
//
// A failed agent is not an error; the result reports it. Run returns an error if a folder could not be written or
// something else broke. If the run had begun by then, it also returns a result with the finished trials, and an
// ExitCode that is not 0. When ctx ends, running trials are stopped, the others are cancelled, and the result is
// returned.
func (s *Suite) Run(ctx context.Context, ids ...string) (*Result, error) {
	plan, err := s.pick(ids)
	if err != nil {
		return nil, err
	}
	out, unlock, err := s.outputs()
	if err != nil {
		return nil, fmt.Errorf("arena: %w", err)
	}
	defer func() { _ = unlock() }() // everything is written by then
	var res *Result
	err = harness.WithRecordingLock(s.cassettes, func() (err error) {
		if s.cassettes == nil || s.cassettes.Records() { // a replay asks no model
			if err := harness.CheckCache(s.store); err != nil {
				return fmt.Errorf("Cache: %w", err) //nolint:staticcheck // the name of a field
			}
		}
		res, err = s.drive(ctx, plan, out)
		return err
	})
	if err != nil {
		return res, fmt.Errorf("arena: %w", err)
	}
	return res, nil
}

// outputs prepares and locks the results folder and the other files that the run writes. out is nil without
// [Options.Out].
func (s *Suite) outputs() (out *harness.Outputs, unlock func() error, err error) {
	others := s.opts.targets()
	if s.opts.Out == "" {
		if err := harness.CheckTargets(others, nil); err != nil {
			return nil, nil, err
		}
		unlock, err = harness.LockTargets(s.opts.Now(), others...)
		return nil, unlock, err
	}
	out = harness.NewOutputs(harness.Choice{Dir: s.opts.path(s.opts.Out)})
	out.Secrets = &s.secrets.Guard
	if err := out.Prepare(others...); err != nil {
		return nil, nil, err
	}
	unlock, err = out.Lock(s.opts.Now(), others...)
	return out, unlock, err
}

// drive runs a plan. out is nil if nothing is written.
func (s *Suite) drive(ctx context.Context, plan *runner.Plan, out *harness.Outputs) (*Result, error) {
	job := harness.Job{Plan: plan, Outputs: out, Arena: version(), Now: s.opts.Now, Warnings: s.warningTexts()}
	job.Replayed = s.cassettes != nil && !s.cassettes.Records()
	options := s.opts.run(s.jobs)
	options.Cassettes = s.cassettes
	if out != nil {
		job.Secrets, options.Scrub = s.secrets, s.secrets.JSON
	}
	x := harness.NewExecution(job)
	in, err := s.openExporters(ctx, x)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if err := x.Open(); err != nil {
		return nil, err
	}
	if err := x.Begin(nil); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	in.handle(x.Started(0))
	ended := trialsByIndex{}
	stoppable, stop := stopWith(ctx)
	//nolint:contextcheck // OnEvent also gets the last events of a run that was stopped
	err = x.Drive(stoppable, options, func(e result.Event, _ *result.Brief) error {
		in.handle(e)
		if done, ok := e.(result.TrialDone); ok {
			ended[done.Trial.Index] = done.Trial
		}
		if s.opts.OnEvent == nil {
			return nil
		}
		return callOnEvent(context.Background(), s.opts.OnEvent, eventFrom(e))
	})
	stop()
	stopped := ctx.Err() != nil
	x.Late = slices.Concat(x.Late, harness.CacheWarnings(s.store), s.cassettes.Gone())
	if !stopped && plan == s.plan {
		x.Claim(s.cassettes.Claims()...)
	}
	err = errors.Join(err, x.End(stopped))
	err = errors.Join(err, in.metrics.End(ctx, x.Run), x.Close())
	for _, e := range x.Completed(stopped) {
		in.traces.Handle(e)
	}
	res := resultFrom(x.Run, ended, stopped)
	res.Warnings = append(append(s.Warnings(), problemsFrom(x.Late)...), in.close()...)
	if out != nil {
		res.Reports = out.Written()
	}
	res.Reports = append(res.Reports, in.metrics.Written()...)
	if err != nil {
		res.ExitCode = harness.Exit(x.Run, stopped, err)
	}
	return res, err
}

// trialsByIndex are the ended trials, by their index in the plan.
type trialsByIndex map[int]*result.Trial

// stopWith returns a context that is cancelled with runner.Stop when ctx ends, as for a user who stops the run.
func stopWith(ctx context.Context) (context.Context, func()) {
	inner, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	if ctx.Err() != nil { // at once: AfterFunc calls from another goroutine
		cancel(runner.Stop())
	}
	release := context.AfterFunc(ctx, func() { cancel(runner.Stop()) })
	return inner, func() {
		release()
		cancel(nil)
	}
}

const module = "github.com/arena-evals/arena"

// version returns the version of this module, for results.
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

// Suite is a set of loaded files, planned and ready to run. It is safe for concurrent use.
type Suite struct {
	opts      Options
	plan      *runner.Plan
	jobs      int
	warnings  []Problem
	secrets   *harness.Secrets // are removed from everything that is written
	cassettes *cassette.Folder // nil: nothing is recorded, or replayed
	store     *cache.Store     // nil: no reply is kept
	exporter  atomic.Pointer[harness.Exporter]
}

// Load reads files, compiles their checks and plans their trials. It calls no model. It returns a [*ProblemsError] with
// all problems in the files. Close closes the connections of the suite.
func Load(opts Options) (*Suite, error) {
	own := opts.Getenv == nil
	hooks, err := opts.complete()
	if err != nil {
		return nil, err
	}
	suite, diags := checks.LoadWith(opts.source(), opts.Checks.checks())
	s := &Suite{opts: opts, secrets: secrets(suite, own, diags), jobs: harness.Jobs(opts.Jobs, suite)}
	s.cassettes, s.store = s.cassetteFolder(), s.opts.store(s.secrets)
	if diags.Errors() == 0 {
		s.prepare(suite, hooks, diags)
	} else {
		runner.ReportUnsupported(suite, s.opts.plan(s.jobs, newClients(&s.opts, s.jobs, hooks)), diags)
	}
	if opts.Strict {
		diags.Promote()
	}
	if diags.Errors() > 0 {
		if s.plan != nil {
			s.plan.Close()
		}
		return nil, newProblemsError(diags, suite.Files, &opts)
	}
	s.warnings = problemsFrom(diags.Sorted())
	return s, nil
}

func (s *Suite) prepare(suite *scenario.Suite, hooks []namedHook, d *diag.List) {
	if s.opts.Timeout > 0 {
		suite.LimitRuns(s.opts.Timeout)
	}
	for _, p := range suite.Projects {
		registerJudges(p, s.opts.Judges)
	}
	s.opts.filter().Apply(suite, d)
	registerTools(suite, s.opts.Tools, d)
	clients := newClients(&s.opts, s.jobs, hooks)
	clients.extraAgents = registerAgents(suite, s.opts.agentNames())
	clients.Cache = s.store
	s.plan = s.planTrials(suite, clients, d)
}

// Planned is a trial of a suite: one scenario with one provider. When the trials of a group may end early, one Planned
// is the whole group, because the number of its trials is not known before.
type Planned struct {
	ID       string // the same in every run: refund/gpt-4o/default, and #2 for the second of several
	Scenario string
	Provider string
	Region   string
	Row      string   // id of the dataset's row, if rows are judged one by one; "": none
	Trial    int      // from 1; 0: the whole group
	Trials   int      // number of trials in the group; if Trial is 0, their maximum
	Position Position // of the scenario
}

// Trials lists what Run runs, in order.
func (s *Suite) Trials() []Planned {
	var out []Planned
	for t := range s.plan.All() {
		p := Planned{
			ID: t.ID(), Scenario: t.Scenario.ID, Provider: t.Endpoint.Spec.ID, Region: t.Region, Trial: t.N, Trials: t.Of,
			Position: positionFrom(t.Scenario.Pos),
		}
		if t.Gated() {
			if t.N > 1 {
				continue
			}
			p.ID, p.Trial = t.GroupID(), 0
		}
		if p.Row = t.RowID(); t.Gated() && t.Rule().Rule == result.RuleGate { // all rows are one group
			p.Row = ""
		}
		out = append(out, p)
	}
	return out
}

// Warnings returns the warnings about the files.
func (s *Suite) Warnings() []Problem { return slices.Clone(s.warnings) }

// warningTexts returns the warnings as lines for reports.
func (s *Suite) warningTexts() []string {
	var texts []string
	for _, w := range s.warnings {
		texts = append(texts, (&diag.Diagnostic{Pos: w.Position.pos(), Msg: w.Message}).Line())
	}
	return texts
}

// Close closes connections. The suite can still be run.
func (s *Suite) Close() { s.plan.Close() }

// pick returns the part of the plan with these ids; without ids, the whole plan.
func (s *Suite) pick(ids []string) (*runner.Plan, error) {
	if len(ids) == 0 {
		return s.plan, nil
	}
	found := map[string]bool{}
	part := s.plan.Keep(func(t *runner.Trial) bool {
		id := t.ID()
		if t.Gated() { // only the whole group can be run
			id = t.GroupID()
		}
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

// clients opens providers: those of the files with hooks around them, and agents and judges in Go.
type clients struct {
	harness.Clients
	judges      map[string]Judge     // by the id of their provider
	agents      map[string]Agent     // likewise
	extraAgents []*scenario.Provider // agents that replace no provider of the files
	hooks       []namedHook
}

func newClients(o *Options, jobs int, hooks []namedHook) *clients {
	c := &clients{
		Clients: harness.Clients{
			Jobs: jobs, Retries: o.Retries, Random: rand.Float64, // for the pauses between retries; no result depends on it
			Now: o.Now, Lenient: o.Lenient, Strict: o.Strict, Judge: o.Judge,
			Regions: selection.CountRegions(o.Regions),
		},
		judges: map[string]Judge{}, agents: o.Agents, hooks: hooks,
	}
	for name, j := range o.Judges {
		c.judges[judgeID(name)] = j
	}
	return c
}

// open is a runner.Opener.
func (c *clients) open(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
	if j := c.judges[spec.ID]; j != nil {
		return &goJudge{name: strings.TrimPrefix(spec.ID, judgeID("")), judge: j}, false, nil
	}
	client, simulated, err := c.client(p, spec)
	if err != nil || len(c.hooks) == 0 {
		return client, simulated, err
	}
	return &hooked{next: client, hooks: c.hooks, origin: Origin{Provider: spec.ID, Model: spec.Model}}, simulated, nil
}

func (c *clients) client(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
	if a := c.agents[spec.ID]; a != nil && spec.Type == scenario.ProviderOfProgram {
		return &goAgent{id: spec.ID, agent: a, now: c.Now}, false, nil
	}
	return c.Open(p, spec)
}
