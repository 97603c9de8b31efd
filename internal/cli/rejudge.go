package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

const rejudgeLong = `Rejudge holds a finished run against other checks, or asks another judge, without calling the
agent again. What was said, what it took and what the guardrails did stay as they were; the
verdicts are new, and those that changed are listed, of checks and of groups of trials: was, now
and why.

The run is a results.json, a journal or the folder of a run; it is not touched. The checks are
those of the files as they stand now: of the paths given, else of those that the run was made
with, which its journal remembers. They are matched by scenario; a trial whose scenario is gone,
or says other things than in the run, is an error. What the files plan now and the run has no
trial of (a scenario, a provider, a variant, a repetition) is a warning, and so are prompts and
guardrails that have changed, for today's were not tried. With --assert the checks
of a file are used instead: kind Eval, for every turn of every trial, or a scenario.

It is as strict as the run was: --judge, --strict and the choice of evals are taken over where
nothing is said about them now, and --fail-on adds to that of the run. What made the run look
better, such as --exit-zero, is not taken over.

The reports go to a folder of their own, with changes.json beside them. What ended it early costs no
more than the trials in flight: --resume keeps what was judged of the same conversations by the same
checks and judges, and judges the rest.

Exit status: as of arena run, by the new verdicts.`

// rejudgeFlags is the command line of `arena rejudge`.
type rejudgeFlags struct {
	runFlags

	source string // the file of the run

	askedProviders []string // providers named by the run; nil: none, or not known
}

func newRejudgeCmd(app *App) *cobra.Command {
	f := &rejudgeFlags{}
	cmd := &cobra.Command{
		Use:   "rejudge run [path...]",
		Short: "Judge a finished run by other checks or another judge",
		Long:  rejudgeLong,
		Example: `  arena rejudge out
  arena rejudge out scenarios --judge openai/gpt-4o -o out-strict
  arena rejudge out/results.json --assert tone.yaml`,
		Args: takes(1, -1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.given.settings(app, c); err != nil {
				return err
			}
			f.words = []string{"arena", "rejudge", args[0]}
			paths, err := f.namedJudgement(args[1:])
			if err != nil {
				return err
			}
			if err := f.complete(paths); err != nil {
				return err
			}
			return f.run(c.Context(), app, args[0])
		},
	}
	f.register(cmd.Flags())
	return cmd
}

func (f *rejudgeFlags) register(fl *pflag.FlagSet) {
	begin(fl)
	fl.StringVarP(&f.config, "config", "c", "", "arena config `file` (default: that of the run, else config.arena.yaml)")
	fl.StringSliceVar(&f.asserts, "assert", nil, "judge by this `file` instead, of kind Eval or Scenario; repeat the flag")
	fl.StringSliceVar(&f.scenarios, "scenario", nil, "only trials of this scenario: an `id`, or a pattern such\n"+
		"as refund-*; repeat the flag or use commas")
	fl.StringSliceVar(&f.providers, "provider", nil, "only trials of this provider: an `id`")
	f.registerResumeJudging(fl)
	fl.BoolVar(&f.list, "list", false, "print the trials and judge nothing (also --dry-run)")
	f.mockFlags.register(fl)
	f.judgingFlags.register(fl)
	f.limitFlags.register(fl)
	f.registerOutput(fl)
	f.folderSuffix = "-rejudged"
	fl.Lookup("out").Usage = "results `folder` (default: that of the run with -rejudged added)"
}

func (f *rejudgeFlags) run(ctx context.Context, app *App, source string) error {
	was, input, done, err := openRun(app, source)
	if err != nil {
		return err
	}
	defer done()
	f.source, f.judgedRun = input, filepath.Dir(input)
	if err := f.remember(app, was); err != nil {
		return err
	}
	suite, diags := f.load(app)
	if was.HeaderLost {
		diags.Warnf(diag.Pos{File: filepath.ToSlash(input)}, 0, "unknown-run", "%s", result.HeaderLost).Hint =
			"name the files to judge by and the flags that the run had; what it still had to run is not known either"
	}
	var plan *runner.Plan
	f.holdAgainst(app, was.Shard != nil, diags)
	if diags.Errors() == 0 {
		plan = f.plan(app, suite, was, diags)
		f.validateMaxCost(plan, diags)
		f.keepNames(app, suite, plan, diags)
	}
	if f.strict {
		diags.Promote()
	}
	app.printDiags(diags.Sorted(), suite.Files, &f.runFlags)
	if diags.Errors() > 0 {
		return exit(result.ExitUsage)
	}
	if f.list {
		out := harness.NewOutputs(f.outputChoice(app, suite))
		out.Resumes = f.journal
		return f.listTrials(app, suite, plan, out)
	}
	return f.perform(ctx, app, suite, plan, was, warnings(diags))
}

// remember takes over the options of the run that the command line does not give. It takes only files below the working
// directory: a journal may come from another machine.
func (f *rejudgeFlags) remember(app *App, was *result.Run) error {
	then, err := specOf(was)
	if err != nil {
		app.remark("how the run was made cannot be read: %v", err)
	}
	if len(f.asserts) == 0 && len(f.paths) == 0 && !f.given.typed("config") {
		home := filepath.Dir(f.source)
		if err := f.refuseOtherProject(f.knownSpec(then), home, "judge by",
			"arena rejudge "+shellQuote(f.words[2])); err != nil {
			return err
		}
	}
	if then == nil {
		return nil
	}
	var taken []string
	if f.config == "" && len(f.paths) == 0 {
		if len(f.asserts) == 0 {
			f.paths = then.Paths
			recallList(f.given, "assert", &f.asserts, then.Asserts)
			taken = slices.Concat(f.paths, f.asserts)
		}
		recallValue(f.given, "config", &f.config, then.Config)
		taken = append(taken, f.config)
	}
	if !f.given.has("mock-provider") && f.mockConfig == "" {
		f.mockFlags.recall(f.given, then)
		taken = append(taken, f.mockConfig)
	}
	for _, path := range taken {
		if path != "" && !inWorkingDir(path) {
			return fmt.Errorf("the run was made with %s, which is not below the working directory\n"+
				"name the files to judge by, the config with -c and the mock file with --mock-config", path)
		}
	}
	f.askedProviders, f.trials = then.Providers, then.Trials
	recallValue(f.given, "judge", &f.judge, then.Judge)
	recallReasons(f.given, &f.failOn, then.FailOn)
	recallValue(f.given, "baseline", &f.baseline, then.Baseline)
	recallValue(f.given, "strict", &f.strict, then.Strict)
	if then.Lenient && !f.given.has("lenient") {
		app.remarkDroppedLeniency([]string{"lenient"})
	}
	if !f.given.has("eval-groups") && !f.given.has("eval-types") && !f.given.has("skip-evals") {
		f.recallFilter(f.given, then)
	}
	return nil
}

// load loads the files with the checks.
func (f *rejudgeFlags) load(app *App) (*scenario.Suite, *diag.List) {
	asserted := len(f.asserts) > 0
	suite, diags := checks.Load(scenario.Options{
		Paths: slices.Concat(f.paths, f.asserts), Config: f.config, MockConfig: f.mockConfig, Lenient: f.lenient,
		Getenv: app.Getenv, Bare: asserted, Recorded: asserted, AllowUncertain: f.allowUncertain,
	})
	app.learnSecrets(suite, diags)
	f.noteUncertain(app, suite)
	named := func(file string) bool {
		return slices.ContainsFunc(f.asserts, func(a string) bool { return sameFile(a, file) })
	}
	for _, p := range suite.Projects {
		if asserted {
			p.Scenarios = slices.DeleteFunc(p.Scenarios, func(s *scenario.Scenario) bool { return !named(s.File) })
		}
		p.Evals = slices.DeleteFunc(p.Evals, func(e *scenario.RecordingEval) bool { return !named(e.File) })
	}
	return suite, diags
}

func (f *rejudgeFlags) plan(app *App, suite *scenario.Suite, was *result.Run, d *diag.List) *runner.Plan {
	finished := make([]runner.Finished, was.Briefs.Len())
	for i := range was.Briefs.Len() {
		finished[i] = runner.Finished{
			Brief: was.Briefs.At(i), Load: loadWithMedia(f.source, func() (*result.Trial, error) { return was.Trials.Trial(i) }),
			Raw: func() ([]byte, error) { return was.Trials.Raw(i) },
		}
	}
	f.filter.Apply(suite, d)
	clients := f.clients(app, f.jobsFor(suite))
	selection, calls, rule := f.selection(), runner.CallParameters{}, runner.TrialOptions{}
	if then := was.Spec; then != nil { // its rows, and options for all trials
		selection.Rows, selection.Sample, calls.Seed = then.Rows, then.Sample, then.Seed
		rule.PassRate, rule.Tolerance, rule.Confidence, rule.Stop = then.PassRate, then.Tolerance, then.Confidence, then.Stop
	}
	rule.AllowUndecided = f.allowUndecided
	return runner.Rejudge(suite, finished, was.Declared, runner.PlanOptions{
		Selection:    selection,
		Calls:        calls,
		Asked:        f.askedProviders,
		Trials:       f.trials,
		MockProvider: f.mocked(), AllowEmpty: f.allowEmpty, Strict: f.strict, Lenient: f.lenient,
		Gates: result.Gated(was.Groups), Rule: rule,
		FailOn: f.failOn, Basis: f.basis, Part: was.Shard != nil, Judge: f.judge, Jobs: f.jobsFor(suite),
		Open: clients.Open, OpenEmbedder: clients.OpenEmbedder, Now: app.Now, Today: app.today,
	}, d)
}

// perform runs the plan and writes into a separate folder.
func (f *rejudgeFlags) perform(
	ctx context.Context, app *App, suite *scenario.Suite, plan *runner.Plan, was *result.Run, warned []string,
) error {
	out := harness.NewOutputs(f.outputChoice(app, suite))
	out.Secrets, out.Resumes = &app.secrets.Guard, f.journal
	home := filepath.Dir(f.source)
	if slices.ContainsFunc(out.Files(), func(file string) bool { return sameFile(filepath.Dir(file), home) }) {
		return fmt.Errorf("the reports must not go to %s, where the run lies\nname another folder with -o", home)
	}
	if err := f.refuseOtherCommand(out); err != nil {
		return err
	}
	if err := out.Prepare(append(f.otherFiles(), changesTarget(out.Dir))...); err != nil {
		return err
	}
	out.Keep = f.keep
	if len(f.providers) == 0 { // a later rejudge needs to know them
		f.providers = f.askedProviders
	}
	return locked(app, out, f.otherFiles(), func() error {
		file, resumed, err := f.openResumed(app, suite, plan, out)
		if err != nil {
			return err
		}
		job := harness.Job{
			Plan: plan, Outputs: out, Missing: was.MissingSingle(), Warnings: warned,
			Earlier: resumed.earlierRun(file), Shard: was.Shard, Merged: was.Merged, Basis: f.basis,
			Judged: was,
		}
		x := &execution{
			app: app, flags: &f.runFlags, job: job, jobs: f.jobsFor(suite), changes: &changeLog{was: was}, resumed: resumed,
		}
		return x.perform(ctx)
	})
}

// loadWithMedia makes a function that loads a trial with its media, which are files beside the run.
func loadWithMedia(file string, load func() (*result.Trial, error)) func() (*result.Trial, error) {
	return func() (*result.Trial, error) {
		t, err := load()
		if err != nil {
			return nil, err
		}
		return harness.WithMedia(file, t), nil
	}
}
