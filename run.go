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
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/cache"
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

// Run runs the trials with these ids, those of [Suite.Trials], or all of them when there are none. It may be called
// again, and by several goroutines at once where nothing is written: where [Options.Out], Record and the File of
// Metrics are empty.
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
	out, unlock, err := s.outputs()
	if err != nil {
		return nil, fmt.Errorf("arena: %w", err)
	}
	defer func() { _ = unlock() }() // nothing was written that could be lost
	var res *Result
	err = harness.WhileRecording(s.deck, func() (err error) {
		if s.deck == nil || s.deck.Records() { // a replay asks no model
			if err := harness.KeepsReplies(s.store); err != nil {
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

// outputs is the folder that the options name, ready to be written, or nil. Nobody else writes there until unlock, nor
// to other files of the run.
func (s *Suite) outputs() (out *harness.Outputs, unlock func() error, err error) {
	others := s.opts.targets()
	if s.opts.Out == "" {
		if err := harness.CheckTargets(others, nil); err != nil {
			return nil, nil, err
		}
		unlock, err = harness.Claim(s.opts.Now(), others...)
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

// drive runs a plan. out is nil where nothing is written.
func (s *Suite) drive(ctx context.Context, plan *runner.Plan, out *harness.Outputs) (*Result, error) {
	job := harness.Job{Plan: plan, Outputs: out, Arena: version(), Now: s.opts.Now, Warnings: s.warningTexts()}
	job.Replayed = s.deck != nil && !s.deck.Records()
	options := s.opts.run(s.jobs)
	options.Cassettes = s.deck
	if out != nil {
		job.Secrets, options.Scrub = s.secrets, s.secrets.JSON
	}
	x := harness.NewExecution(job)
	in, err := s.instruments(ctx, x)
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
	in.hear(x.Started(0))
	ended := trialsByIndex{}
	stoppable, stop := stoppable(ctx)
	//nolint:contextcheck // OnEvent is told as well how a run ends that was stopped
	err = x.Drive(stoppable, options, func(e result.Event, _ *result.Brief) error {
		in.hear(e)
		if done, ok := e.(result.TrialDone); ok {
			ended[done.Trial.Index] = done.Trial
		}
		if s.opts.OnEvent == nil {
			return nil
		}
		return tell(context.Background(), s.opts.OnEvent, eventFrom(e))
	})
	stop()
	stopped := ctx.Err() != nil
	x.Late = append(x.Late, harness.Unkept(s.store)...)
	if !stopped && plan == s.plan {
		x.Claim(s.deck.Claims()...)
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

// trialsByIndex are the trials that ended, by their index in the plan.
type trialsByIndex map[int]*result.Trial

// stoppable ends, when ctx does, as a run ends that its user stops.
func stoppable(ctx context.Context) (context.Context, func()) {
	inner, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	if ctx.Err() != nil { // now, and not when a goroutine comes to it
		cancel(runner.Stop())
	}
	release := context.AfterFunc(ctx, func() { cancel(runner.Stop()) })
	return inner, func() {
		release()
		cancel(nil)
	}
}

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
	secrets  *harness.Secrets // that nothing may hold which is written
	deck     *cassette.Folder // nil: nothing is recorded, or replayed
	store    *cache.Store     // nil: no reply is kept
	measured atomic.Pointer[harness.Exporter]
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
	s := &Suite{opts: opts, secrets: secrets(suite, own, diags), jobs: harness.Jobs(opts.Jobs, suite)}
	s.deck, s.store = s.folder(), s.opts.store(s.secrets)
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
		seat(p, s.opts.Judges)
	}
	s.opts.filter().Apply(suite, d)
	seatTools(suite, s.opts.Tools, d)
	clients := newClients(&s.opts, s.jobs, hooks)
	clients.unseated = seatAgents(suite, s.opts.agentNames())
	clients.Cache = s.store
	s.plan = s.trials(suite, clients, d)
}

// Planned is a trial that a suite holds, one scenario with one provider; or all trials of these together, where they
// may end early, since nobody knows before how many it takes.
type Planned struct {
	ID       string // the same in every run: refund/gpt-4o/default, and #2 for the second of several
	Scenario string
	Provider string
	Region   string
	Row      string   // of a dataset, where each is judged by itself; "": none
	Trial    int      // from 1; 0: all of them together
	Trials   int      // of this scenario with this provider, which are judged together; the most of them, where Trial is 0
	Position Position // of the scenario
}

// Trials are what Run would run, in order.
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
		if t.Gated() { // all of its group, or none
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

// clients opens providers, with the hooks around them and the judges of the program among them.
type clients struct {
	harness.Clients
	judges   map[string]Judge     // by the id of their provider
	agents   map[string]Agent     // likewise
	unseated []*scenario.Provider // of agents that stand for no provider of the files
	hooks    []namedHook
}

func newClients(o *Options, jobs int, hooks []namedHook) *clients {
	c := &clients{
		Clients: harness.Clients{
			Jobs: jobs, Retries: o.Retries, Random: rand.Float64, // spreads retries and shows in no result
			Now: o.Now, Lenient: o.Lenient, Strict: o.Strict, Judge: o.Judge,
			Regions: runner.CountRegions(o.Regions),
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
		return &bench{name: strings.TrimPrefix(spec.ID, judgeID("")), judge: j}, false, nil
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
