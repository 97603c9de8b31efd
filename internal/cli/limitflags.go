package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// limitFlags limit a run, and say what makes it red.
type limitFlags struct {
	jobs            int
	timeout         time.Duration
	retries         int
	failFast        bool
	maxFailures     int
	maxTrials       int
	maxCost         float64
	failOn          []string
	exitZero        bool
	strict, lenient bool
	allowEmpty      bool
	allowUncertain  bool
	allowUndecided  bool
	baseline        string
	knownFailures   bool
	basis           *result.Basis // content of the baseline file
}

func (f *limitFlags) register(fl *pflag.FlagSet) {
	fl.IntVarP(&f.jobs, "jobs", "j", 0, "run `n` trials at once (default: the config's concurrency, else 6)")
	fl.DurationVar(&f.timeout, "timeout", 0, "limit every conversation to a `time` such as 90s\n"+
		"(default: the config's run_timeout, else 5m)")
	fl.IntVar(&f.retries, "retries", 0, "try a failed model call up to `n` more times (default 3)")
	fl.BoolVar(&f.failFast, "fail-fast", false, "end the run at the first trial that fails")
	fl.IntVar(&f.maxFailures, "max-failures", 0, "end the run when `n` trials have failed (default: never)")
	fl.IntVar(&f.maxTrials, "max-trials", 0, "run at most `n` trials of all scenarios together: those that are only\n"+
		"counted first, then those of which a verdict is likeliest")
	fl.Float64Var(&f.maxCost, "max-cost", 0, "start a trial only while what agents and judges spend stays within\n"+
		"this many US `dollars`; of embeddings, programs and workers nothing is known")
	fl.StringSliceVar(&f.failOn, "fail-on", nil, "what makes the run red besides failed assertions and errors, a `list`\n"+
		"of guardrail, skipped, warning, eval (could not judge), flaky\n"+
		"(trials that ask for the same passed and failed), regressed (by\n"+
		"evidence, with --baseline) and error (also one that a gate outvotes)")
	registerBaseline(fl, &f.baseline, &f.knownFailures)
	fl.BoolVar(&f.exitZero, "exit-zero", false, "exit with 0 even when trials fail or break, for reports only")
	fl.BoolVar(&f.strict, "strict", false, "warnings are errors, such as a scenario that asserts nothing; one at\n"+
		"the end makes the run red")
	fl.BoolVar(&f.lenient, "lenient", false, "unknown fields and parameters are warnings: for other tools' files")
	fl.BoolVar(&f.allowUncertain, "allow-uncertain", false, "a judge of a scenario with run_command who is uncertain "+
		"lets it pass")
	fl.BoolVar(&f.allowUndecided, "allow-undecided", false, "scenarios of which the trials show neither that enough "+
		"pass nor\nthat too few do leave the run green")
	fl.BoolVar(&f.allowEmpty, "allow-empty", false, "a plan without trials is no error")
}

func registerBaseline(fl *pflag.FlagSet, file *string, knownFailures *bool) {
	fl.StringVar(file, "baseline", "", "hold the run against this `file` of arena bless")
	fl.BoolVar(knownFailures, "known-failures", false, "what fails as in the baseline does not make the run red")
}

var errKnownOfNone = errors.New("--known-failures are those of a baseline: name it with --baseline")

func (f *limitFlags) validate(g givenFlags) error {
	errs := []error{
		g.atLeast(1, "jobs", f.jobs), g.atLeast(0, "retries", f.retries), g.atLeast(1, "max-failures", f.maxFailures),
		g.atLeast(1, "max-trials", f.maxTrials),
	}
	if g.has("timeout") && f.timeout <= 0 {
		errs = append(errs, fmt.Errorf("--timeout must be above 0, found %s", f.timeout))
	}
	if g.has("max-cost") && !(f.maxCost > 0 && f.maxCost <= mostCost) {
		errs = append(errs, fmt.Errorf("--max-cost must be above 0 and at most %d US dollars, found %g", mostCost, f.maxCost))
	}
	if f.knownFailures && (f.failFast || f.maxFailures > 0) {
		errs = append(errs, errors.New("--known-failures are told at the end of a run, and --fail-fast or --max-failures "+
			"would end it at one of them: choose one"))
	}
	if f.failFast && f.maxFailures > 1 {
		errs = append(errs, fmt.Errorf("--fail-fast ends the run at the first failure, --max-failures after %d: choose one",
			f.maxFailures))
	}
	return errors.Join(errs...)
}

// refuseEager refuses --eager with --max-trials: they contradict each other.
func (f *runFlags) refuseEager() error {
	if f.eager && f.maxTrials > 0 {
		return errors.New("--eager runs trials that may not be needed, and --max-trials spends few where a verdict is " +
			"likeliest: choose one")
	}
	return nil
}

// refuseIdleEager refuses --eager where it has no effect. A setting is ignored, a flag is an error.
func (f *runFlags) refuseIdleEager(plan *runner.Plan, d *diag.List) {
	if !f.eager || !f.given.typed("eager") || d.Errors() > 0 {
		return
	}
	if !slices.ContainsFunc(plan.Gates(), func(g result.GatedGroup) bool { return g.Stop != result.StopNever }) {
		d.Errorf(diag.Pos{}, 0, "no-effect", "--eager says nothing of trials that are counted: all of them run").Hint =
			"leave it out, or have trials end early: trials: {pass_rate: 0.8}, or --pass-rate 0.8"
	}
}

// mostCost is the highest --max-cost, in US dollars: more is a typing error.
const mostCost = 1_000_000

// validateMaxCost reports why --max-cost cannot be enforced.
func (f *runFlags) validateMaxCost(plan *runner.Plan, d *diag.List) {
	if f.maxCost > 0 && d.Errors() == 0 {
		plan.ReportMaxCost(f.maxCost, f.callParameters(), f.cache != "" || f.cassettes.Record != "", f.resumes(), d)
	}
}

// failures is the number of failed trials that ends the run; 0: no limit.
func (f *limitFlags) failures() int {
	if f.failFast {
		return 1
	}
	return f.maxFailures
}

// settleFailOn replaces the words of --fail-on by the reasons that they name. An empty list is not the same as none.
func (f *limitFlags) settleFailOn(g givenFlags) error {
	if !g.has("fail-on") {
		return nil
	}
	reasons, err := failOnReasons(f.failOn)
	if err != nil {
		return err
	}
	f.failOn = reasons
	return nil
}

func (f *limitFlags) toSpec(g givenFlags, s *result.Spec) {
	s.Jobs, s.Timeout, s.Retries = f.jobs, f.timeout, pointerTo(g, "retries", f.retries)
	s.FailFast, s.MaxFailures, s.MaxCost, s.FailOn, s.ExitZero = f.failFast, f.maxFailures, f.maxCost, f.failOn, f.exitZero
	s.MaxTrials = f.maxTrials
	s.Strict, s.Lenient, s.AllowEmpty = f.strict, f.lenient, f.allowEmpty
	s.AllowUncertain, s.AllowUndecided = f.allowUncertain, f.allowUndecided
	s.Baseline, s.KnownFailures = f.baseline, f.knownFailures
}

// recall skips --fail-fast and --max-failures: a run that they ended is resumed to run the rest. It also skips the
// flags of leniencyOf.
func (f *limitFlags) recall(g givenFlags, then *result.Spec) {
	recallValue(g, "jobs", &f.jobs, then.Jobs)
	recallValue(g, "timeout", &f.timeout, then.Timeout)
	recallValue(g, "max-cost", &f.maxCost, then.MaxCost)
	recallValue(g, "max-trials", &f.maxTrials, then.MaxTrials)
	recallPointer(g, "retries", &f.retries, then.Retries)
	recallReasons(g, &f.failOn, then.FailOn)
	recallValue(g, "strict", &f.strict, then.Strict)
	recallValue(g, "baseline", &f.baseline, then.Baseline)
}

// leniencyOf are the flags that made an earlier run look better, and that the user did not give again. They are never
// taken over: they would hide new failures.
func (f *limitFlags) leniencyOf(g givenFlags, then *result.Spec) (flags []string) {
	for _, c := range []struct {
		flag string
		had  bool
	}{{"exit-zero", then.ExitZero}, {"lenient", then.Lenient}, {"allow-empty", then.AllowEmpty}, {
		"allow-uncertain", then.AllowUncertain,
	}, {"allow-undecided", then.AllowUndecided}, {"no-chaos", then.NoChaos}, {"known-failures", then.KnownFailures}} {
		if c.had && !g.has(c.flag) {
			flags = append(flags, c.flag)
		}
	}
	return flags
}

// remarkDroppedLeniency names the flags that are not taken over.
func (app *App) remarkDroppedLeniency(flags []string) {
	if len(flags) > 0 {
		app.remark("the run was made with --%s, which no other run takes over: name it again, if that is what is wanted",
			strings.Join(flags, ", --"))
	}
}

// noteUncertain names the judges whose limits --allow-uncertain ignores. The results name them too.
func (f *limitFlags) noteUncertain(app *App, suite *scenario.Suite) {
	if !f.allowUncertain {
		return
	}
	judged := 0
	for _, p := range suite.Projects {
		for _, s := range p.Scenarios {
			if s.Agent != nil && slices.ContainsFunc(s.Conversation, func(placed scenario.Placed) bool {
				c, ok := placed.Compiled.(*checks.Compiled)
				return ok && c.Def.Name == "judge_verdict"
			}) {
				judged++
			}
		}
	}
	if judged == 0 {
		app.remark("--allow-uncertain has no effect: no scenario with run_command has criteria or a judge")
		return
	}
	app.remark("--allow-uncertain: a verdict uncertain passes in %s, with a score of 0.5",
		plural.Count(judged, "scenario"))
}

// failOnReasons are the reasons that the words of --fail-on name.
func failOnReasons(words []string) ([]string, error) {
	reasons := []string{}
	for _, word := range words {
		reason, err := result.FailOnReason(word)
		if err != nil {
			return nil, fmt.Errorf("--fail-on: %w", err)
		}
		reasons = append(reasons, reason)
	}
	return reasons, nil
}

// fewerTrialsNotes says why fewer trials than planned may run.
func (f *limitFlags) fewerTrialsNotes(plan *runner.Plan, trials int) (notes []string) {
	if trials == 0 {
		return nil
	}
	if slices.ContainsFunc(plan.Gates(), func(g result.GatedGroup) bool { return g.Stop != result.StopNever }) {
		notes = append(notes, "these are the most that may run: a group ends once its verdict is certain "+
			"(arena gate tells when)")
	}
	if f.maxTrials > 0 && f.maxTrials < trials {
		notes = append(notes, fmt.Sprintf("--max-trials %d: at most that many of the %s run, and the run is not "+
			"green where a group needs more", f.maxTrials, show.Plural(trials, "trial")))
	}
	if f.maxCost > 0 {
		notes = append(notes, fmt.Sprintf("--max-cost %g: no trial starts that may cost more than is left of it", f.maxCost))
	}
	return notes
}
