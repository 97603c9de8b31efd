package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

const runLong = `Run drives every scenario against every provider, judges the replies and writes the reports.

Paths may be arena configs, scenario files, packs, folders and globs, in any mix. Without a
path, the config of the working directory is run (config.arena.yaml, else its only *.arena.yaml,
else arena.yaml or config.yaml), and where there is none its scenarios folder. A scenario
file runs in the project of the config that lists it, in its folder or one above it, up to the
root of the repository. With -c, files that the config lists are all that is run of it; others
are run beside them in the same project.

Every finished trial is on disk before it is told. What ended a run (an interrupt, a crash, a
full disk, --fail-fast) costs no more than the trials in flight: --resume keeps each finished
trial of which nothing changed that decides it, runs the rest and reports the whole. Alone, or
with the results folder, it runs what that run was made with. --last-failed runs again what did
not pass; what then passes although nothing changed is told as flaky, with the earlier reply.

--workers has the trials run by arena worker --trials on other machines, over a NATS broker: the
files go there, the keys are theirs, and journal, verdict and reports stay here. arena docs workers.

A provider of type replay answers from recordings instead of a model. Its additional_config:
recording (a file, a list or a pattern), session (its id; default: by scenario and trial, and
each trial needs a conversation of its own), match (turn or content), timing (instant, realtime,
accelerated by speed), tools (recorded or execute; default: the recorded result of a call where
there is one, else the tool is run).

Settings come from flags, then from ARENA_* variables (ARENA_MAX_TOKENS is --max-tokens), then
from .arena.yaml in the working directory (max-tokens: 400), then from the files that are run.
What makes a run do nothing (--list), do less (--scenario, --eval-types), ask somebody else
(--mock-provider) or pass (--exit-zero, --lenient, --allow-uncertain) is a flag only.`

func newRunCmd(app *App) *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run [path...]",
		Short: "Run scenarios and report",
		Long:  runLong,
		Example: `  arena run scenarios/refund.yaml --provider mock
  arena run -c config.arena.yaml --scenario refund,hello -j 20
  arena run --provider ollama/llama3.2 --temperature 0 --fail-fast
  arena run --resume out`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.given.settings(app, c); err != nil {
				return err
			}
			args, err := f.recallLast(app, args)
			if err != nil {
				return err
			}
			app.remarkDroppedLeniency(f.droppedLeniency)
			if err := f.complete(args); err != nil {
				return err
			}
			return runSuite(c.Context(), app, f)
		},
	}
	f.register(cmd.Flags())
	return cmd
}

// runSuite loads the files, plans, runs the plan, and writes the reports.
func runSuite(ctx context.Context, app *App, f *runFlags) error {
	suite, diags := checks.Load(scenario.Options{
		Paths: f.paths, Config: f.config, MockConfig: f.mockConfig, Lenient: f.lenient, SkipEvals: f.filter.Skip,
		Regions: f.regions, AllowUncertain: f.allowUncertain, Getenv: f.variables.noting(app.Getenv),
		Sent: f.workers.url != "",
	})
	app.learnSecrets(suite, diags)
	app.remarks(suite.Notes)
	f.noteUncertain(app, suite)
	f.dropChaos(app, suite)
	unreadSettings(suite, diags)
	return f.execute(ctx, app, suite, diags)
}

// dropChaos removes simulated tool failures from the scenarios (--no-chaos), and says how many turns had some.
func (f *runFlags) dropChaos(app *App, suite *scenario.Suite) {
	if !f.noChaos {
		return
	}
	turns := suite.DropChaos()
	if turns == 0 {
		app.remark("--no-chaos has no effect: no turn of a scenario has chaos")
		return
	}
	app.remark("--no-chaos: no tool is let fail in %s: how the agent takes it is not tested", plural.Count(turns, "turn"))
}

// execute plans a suite that was read, and runs the plan.
func (f *runFlags) execute(ctx context.Context, app *App, suite *scenario.Suite, diags *diag.List) error {
	plan, deck, err := f.planOrReport(app, suite, diags)
	if err != nil {
		return err
	}
	app.remarks(plan.Notes)
	f.noteUngated(app, plan)
	out := harness.NewOutputs(f.outputChoice(app, suite))
	out.Keep, out.Secrets, out.Resumes = f.keep, &app.secrets.Guard, f.journal
	if deck != nil {
		deck.Spare = filepath.Join(out.Dir, "interrupted")
	}
	switch {
	case f.list:
		return f.listTrials(app, suite, plan, out)
	case f.estimate:
		return f.estimateRun(app, suite, plan, out)
	}
	if err := f.refuseOtherCommand(out); err != nil {
		return err
	}
	if err := refuseOverwrite(recordingsOf(plan), out, f.events, f.metrics.File); err != nil {
		return err
	}
	if err := out.Prepare(f.otherFiles()...); err != nil {
		return err
	}
	return locked(app, out, f.otherFiles(), func() error {
		return f.runPlan(ctx, app, suite, plan, deck, out, warnings(diags))
	})
}

// planOrReport plans a suite, and prints mistakes in its files. With mistakes it returns exit status 2.
func (f *runFlags) planOrReport(
	app *App, suite *scenario.Suite, diags *diag.List,
) (plan *runner.Plan, deck *cassette.Folder, err error) {
	f.holdAgainst(app, f.shard != "", diags)
	if diags.Errors() == 0 {
		plan, deck = f.plan(app, suite, diags)
		f.refuseIdleEager(plan, diags)
		if plan, err = f.cutPlan(app, plan, suite, diags); err != nil {
			return nil, nil, err
		}
		f.validateMaxCost(plan, diags)
	} else {
		opts := f.planOptions(suite, f.cassettes.Replay != "")
		opts.Open = harness.NoModel // missing keys do not matter here
		runner.ReportUnsupported(suite, opts, diags)
	}
	if f.strict {
		diags.Promote()
	}
	app.printDiags(diags.Sorted(), suite.Files, f)
	if diags.Errors() > 0 {
		return nil, nil, exit(result.ExitUsage)
	}
	return plan, deck, nil
}

// runPlan runs the plan, here or on workers, with a lock on the results folder.
func (f *runFlags) runPlan(
	ctx context.Context, app *App, suite *scenario.Suite, plan *runner.Plan, deck *cassette.Folder, out *harness.Outputs,
	warned []string,
) error {
	fleet, err := f.workers.connectFleet(ctx, app, f, out, deck)
	if err != nil {
		return err
	}
	defer fleet.close()
	if err := f.restoreJournal(app, out); err != nil {
		return err
	}
	file, resumed, err := f.openResumed(app, suite, plan, out)
	if err != nil {
		return err
	}
	logs, err := openSessionLogs(suite, plan, out.Dir, app.secrets, app.Now())
	if err != nil {
		return err
	}
	job := harness.Job{
		Plan: plan, Outputs: out, Earlier: resumed.earlierRun(file), Warnings: warned, Basis: f.basis,
	}
	if resumed != nil {
		resumed.warnUnrecordedTrials(plan, deck)
		job.Warnings = append(job.Warnings, resumed.warnings...)
	}
	if err := fleet.pack(app, f, suite, plan, out, resumed); err != nil {
		return err
	}
	x := &execution{
		app: app, flags: f, job: job, jobs: f.workers.window(f.jobsFor(suite), f.given), resumed: resumed, deck: deck,
		logs: logs, fleet: fleet,
	}
	return x.perform(ctx)
}

// locked runs work with a lock on the results folder and on the other outputs.
func locked(app *App, out *harness.Outputs, others []harness.Target, work func() error) (err error) {
	unlock, err := out.Lock(app.Now(), others...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return work()
}

// listTrials prints the trials that would run.
func (f *runFlags) listTrials(app *App, suite *scenario.Suite, plan *runner.Plan, out *harness.Outputs) error {
	if !f.resumes() {
		return f.listed(app, plan, nil)
	}
	file, resumed, err := f.openResumed(app, suite, plan, out)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // read only
	return f.listed(app, plan, resumed.keeps)
}

// listed prints the plan, and says why fewer trials may run.
func (f *runFlags) listed(app *App, plan *runner.Plan, left func(i int) bool) error {
	trials, err := listPlan(app, plan, left)
	if err != nil {
		return err
	}
	if left == nil {
		trials = plan.Planned()
	}
	for _, note := range f.fewerTrialsNotes(plan, trials) {
		app.remark("%s", note)
	}
	return nil
}

// openResumed opens the journal to resume; nil: a new run, which opens its journal when everything else is ready.
func (f *runFlags) openResumed(
	app *App, suite *scenario.Suite, plan *runner.Plan, out *harness.Outputs,
) (*os.File, *resumption, error) {
	if !f.resumes() {
		return nil, nil, nil
	}
	file, err := f.openEarlier(out)
	if err != nil {
		return nil, nil, err
	}
	resumed, err := f.readEarlier(app, suite, plan, file)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, resumed, nil
}

// warnings are the warnings about files and plan, for reports.
func warnings(diags *diag.List) (all []string) {
	for _, d := range diags.Sorted() {
		if d.Severity == diag.Warning {
			all = append(all, d.Line())
		}
	}
	return all
}

// prepare lets the command line win over the files.
func (f *runFlags) prepare(suite *scenario.Suite, d *diag.List) {
	if f.timeout > 0 {
		suite.LimitRuns(f.timeout)
	}
	f.filter.Apply(suite, d)
}

// trialsOf plans the trials. played: all of them replay recordings.
func (f *runFlags) trialsOf(app *App, suite *scenario.Suite, played bool, d *diag.List) *runner.Plan {
	clients := f.clients(app, f.jobsFor(suite))
	openModel, openEmbedder := f.cassettes.opener(clients), f.cassettes.embedders(clients)
	remote := f.workers.url != ""
	if played || f.list || f.estimate || remote { // these call no model, and need no key
		openModel, openEmbedder = harness.NoModel, harness.NoEmbedder
	}
	openModel, openEmbedder = f.missingModels.opener(openModel), f.missingModels.embedders(openEmbedder)
	opts := f.planOptions(suite, played)
	opts.Open, opts.OpenEmbedder, opts.Uncalled = openModel, openEmbedder, f.list || remote
	opts.Now, opts.Today = app.Now, app.today
	if f.verbose > 1 && !f.quiet {
		f.toolStderr = &toolStderr{}
		opts.OnStderr = f.toolStderr.show
		clients.OnStderr = opts.OnStderr
	}
	plan := runner.Make(suite, opts, d)
	app.secrets.WatchChecks(suite)
	f.keepNames(app, suite, plan, d)
	f.dispatch.reportNothing(plan, d)
	return plan
}

// planOptions say what to plan, except how models are opened.
func (f *runFlags) planOptions(suite *scenario.Suite, played bool) runner.PlanOptions {
	return runner.PlanOptions{
		Selection:      f.selection(),
		Recordings:     f.over,
		Stdin:          f.stdin,
		Only:           f.only,
		SkipUnreadable: f.skipUnreadable,
		Trials:         f.trials,
		Rule:           f.rule(f.given, f.allowUndecided),
		MockProvider:   f.mocked(),
		AllowEmpty:     f.allowEmpty,
		Strict:         f.strict,
		Lenient:        f.lenient,
		FailOn:         f.failOn,
		Basis:          f.basis,
		Part:           f.shard != "",
		Judge:          f.judge,
		Jobs:           f.jobsFor(suite),
		Dispatch:       f.dispatch.mode(),
		Offline:        f.cassettes.offline && !played,
		Replayed:       played,
		PrivateURLs:    f.cassettes.private,
		Calls:          f.callParameters(),
	}
}

// callParameters are the parameters of model calls that flags set.
func (f *runFlags) callParameters() runner.CallParameters {
	return runner.CallParameters{
		Temperature: pointerTo(f.given, "temperature", f.temperature),
		MaxTokens:   pointerTo(f.given, "max-tokens", f.maxTokens), Seed: pointerTo(f.given, "seed", f.seed),
	}
}

// clients opens the providers of the run.
func (f *runFlags) clients(app *App, jobs int) *harness.Clients {
	return &harness.Clients{
		Jobs: jobs, Retries: pointerTo(f.given, "retries", f.retries),
		Random: rand.Float64, // spreads retries; no result depends on it
		Now:    app.Now, Lenient: f.lenient, Strict: f.strict, Offline: f.cassettes.offline, NoTraces: f.noTraces,
		Cache: f.store(), Judge: f.judge, Regions: selection.CountRegions(f.regions), Shared: f.shared,
	}
}

// jobsFor is the number of jobs: of the flag, or else of the projects.
func (f *runFlags) jobsFor(suite *scenario.Suite) int { return harness.Jobs(f.jobs, suite) }

// outputChoice merges the flags with the outputs of the projects: the first path counts, and the union of all formats.
func (f *runFlags) outputChoice(app *App, suite *scenario.Suite) harness.Choice {
	c := harness.Choice{
		Dir: f.out, Formats: f.formats, JUnit: f.junitFile, HTML: f.htmlFile, Markdown: f.markdownFile,
		Granularity: f.junitGranularity, Rerun: rerunner(f.rerunCommand()), Place: app.inCheckout(),
	}
	for _, p := range suite.Projects {
		o := p.Defaults.Output
		if c.Dir == "" {
			c.Dir = o.Dir
		}
		for own, file := range map[*string]string{&c.JUnit: o.JUnitFile, &c.HTML: o.HTMLFile, &c.Markdown: o.MarkdownFile} {
			switch {
			case *own != "" || file == "":
			case f.out != "": // a folder on the command line takes all reports
				*own = filepath.Join(f.out, filepath.Base(file))
			default:
				*own = file
			}
		}
	}
	if c.Formats == nil {
		c.Formats = formatsOf(suite.Projects)
	}
	if f.folderSuffix != "" {
		f.separateOutputs(&c)
	}
	return c
}

// formatsOf is the union of the formats of the projects. It is nil, all formats, if a project names none.
func formatsOf(projects []*scenario.Project) []string {
	var all []string
	for _, p := range projects {
		formats := p.Defaults.Output.Formats
		if formats == nil {
			return nil
		}
		for _, f := range formats {
			if !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	return all
}

func listPlan(app *App, plan *runner.Plan, left func(i int) bool) (trials int, err error) {
	out := bufio.NewWriter(app.Out)
	for t := range plan.All() {
		if left != nil && left(t.Index) {
			continue
		}
		trials++
		if _, err := fmt.Fprintln(out, diag.Safe(t.ID())); err != nil {
			return 0, broken(err)
		}
	}
	if err := out.Flush(); err != nil {
		return 0, broken(err)
	}
	return trials, nil
}
