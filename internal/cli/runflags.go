package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// runFlags is the command line of `arena run`. Other commands share parts of it. complete fills in derived values.
type runFlags struct {
	given givenFlags
	fileFlags
	selectionFlags
	shardFlags
	resumeFlags
	mockFlags
	judgingFlags
	overrideFlags
	limitFlags
	outputFlags
	screenFlags
	cassettes cassetteFlags
	dispatch  dispatchFlags
	workers   workersFlags
	metrics   metricsFlags
	traces    traceFlags

	words           []string // words of the command, before its arguments
	notInherited    []string // per-run flags of the resumed run that were not given again
	droppedLeniency []string // those of leniencyOf

	journal string       // the journal to resume, if the command line names it; "": that of the last run
	earlier *result.Spec // the spec of the resumed run; nil: not taken over

	noTraces bool // agents that are programs do not send traces
	noChaos  bool // no tool failures are simulated

	variables     askedVariables // variables that the files use
	missingModels *missingModels // stand-ins of a worker; nil: a model that cannot be opened is an error

	// shared is the rate limit that trial workers share; nil: none.
	shared func(p *scenario.Project, spec *scenario.Provider) providers.Shared

	toolStderr *toolStderr // nil: stderr of tool programs is not shown

	folderSuffix string // suffix of the folder of another command; "": none
	judgedRun    string // folder of the run that is judged again; "": none
}

// resumeFlags say how the run continues an earlier one, and whether trials run at all.
type resumeFlags struct {
	resume, lastFailed, list, estimate bool
}

// Flag names of other tools.
var flagAliases = map[string]string{
	"concurrency": "jobs", "formats": "format", "simple": "ci", "scenarios": "scenario", "providers": "provider",
	"dry-run": "list", "rerun-failed": "last-failed", "html": "html-file", "skip-pack-evals": "skip-evals",
}

// canonical is our name of a flag.
func canonical(name string) string {
	if alias, ok := flagAliases[name]; ok {
		return alias
	}
	return name
}

// aliasFlags lets flags have other names, which the help does not show.
func aliasFlags(fl *pflag.FlagSet, names map[string]string) {
	fl.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if alias, ok := names[name]; ok {
			name = alias
		}
		return pflag.NormalizedName(name)
	})
}

// begin sets how the flags of a command are normalised and sorted.
func begin(fl *pflag.FlagSet) {
	aliasFlags(fl, flagAliases)
	fl.SortFlags = false
}

func (f *runFlags) register(fl *pflag.FlagSet) {
	begin(fl)
	fl.StringVarP(&f.config, "config", "c", "", "arena config `file`\n"+
		"(default: config.arena.yaml, else the scenarios folder)")
	f.selectionFlags.register(fl)
	f.shardFlags.register(fl)
	f.resumeFlags.register(fl)
	f.mockFlags.register(fl)
	f.judgingFlags.register(fl)
	f.overrideFlags.register(fl)
	f.dispatch.register(fl)
	f.workers.register(fl)
	f.limitFlags.register(fl)
	f.cassettes.register(fl)
	fl.BoolVar(&f.noTraces, "no-traces", false, "start programs that are agents without a place for their traces")
	fl.BoolVar(&f.noChaos, "no-chaos", false, "let no tool fail, whatever chaos of the scenarios says")
	f.registerOutput(fl)
}

// registerOutput registers flags for files and the screen.
func (f *runFlags) registerOutput(fl *pflag.FlagSet) {
	f.outputFlags.register(fl)
	f.metrics.register(fl)
	f.traces.register(fl)
	f.screenFlags.register(fl)
}

func (f *resumeFlags) register(fl *pflag.FlagSet) {
	fl.BoolVar(&f.resume, "resume", false, "go on with the last run into the folder: keep what finished and is asked\n"+
		"for unchanged, run the rest, report the whole")
	fl.BoolVar(&f.lastFailed, "last-failed", false, "run again what did not pass in the last run into the folder, and\n"+
		"report the whole (also --rerun-failed)")
	fl.BoolVar(&f.list, "list", false, "print the trials of the plan and run nothing (also --dry-run)")
	fl.BoolVar(&f.estimate, "estimate", false, "print what the run may take, calls, tokens and cost, and run nothing")
}

func (f *resumeFlags) validate() error {
	if f.resume && f.lastFailed {
		return errors.New("--resume keeps what failed, and --last-failed runs it again: choose one")
	}
	if f.list && f.estimate {
		return errors.New("--list prints the trials, and --estimate what they may cost: choose one")
	}
	return nil
}

// complete takes the paths of the command line and refuses values that make no sense.
func (f *runFlags) complete(paths []string) error {
	f.paths = paths
	if f.words == nil {
		f.words = []string{"arena", "run"}
	}
	errs := []error{
		f.overrideFlags.validate(f.given), f.resumeFlags.validate(), f.limitFlags.validate(f.given),
		f.selectionFlags.validate(f.given), f.shardFlags.validate(f.given), f.fileFlags.validate(f.given),
		f.judgingFlags.validate(f.given),
		f.validateAction(), f.validateEvals(), f.refuseEager(),
		f.screenFlags.validate(), f.outputFlags.validate(f.given), f.settleFailOn(f.given), f.metrics.validate(f.given),
		f.dispatch.validate(f.given, f.cassettes.offline), f.cassettes.validate(f), f.workers.validate(f),
	}
	if f.events == stdoutName && f.list {
		errs = append(errs, errors.New("--events - and --list both write to stdout: name a file for the events"))
	}
	return errors.Join(errs...)
}

// validateEvals refuses flags that contradict each other about evals.
func (f *runFlags) validateEvals() error {
	if !f.filter.Skip {
		return nil
	}
	asks := f.given.among([]string{"eval-groups", "eval-types"})
	if slices.Contains(f.failOn, result.FailOnEval) && f.given.typed("fail-on") {
		asks = append(asks, "fail-on eval")
	}
	if len(asks) == 0 {
		return nil
	}
	return fmt.Errorf("--skip-evals runs no evals, and --%s is about those that are run: choose one", asks[0])
}

// spec is the spec of the run, for its journal.
func (f *runFlags) spec() *result.Spec {
	s := &result.Spec{Command: f.words[1]}
	f.fileFlags.toSpec(s)
	f.selectionFlags.toSpec(s)
	f.shardFlags.toSpec(s)
	f.mockFlags.toSpec(s)
	f.judgingFlags.toSpec(f.given, s)
	f.overrideFlags.toSpec(f.given, s)
	f.limitFlags.toSpec(f.given, s)
	s.NoChaos = f.noChaos
	f.cassettes.toSpec(s)
	f.outputFlags.toSpec(f.given, s)
	s.Apart = append(f.given.among(perRunFlags), f.notInherited...)
	return s
}

// perRunFlags are flags that a resumed run does not take over: a file with events belongs to one run, and a journal
// must not make arena contact services.
var perRunFlags = []string{
	"events", "junit-granularity", "metrics-file", "metrics-push", "metrics-listen", "metrics-linger", "metrics-label",
	"metrics-by", "metrics-namespace", "otlp-endpoint", "otlp-content", "dispatch", "dispatch-wait", "dispatch-timeout",
	"stream", "nats-creds", "nats-ca", "nats-cert", "nats-key", "workers", "workers-timeout",
}

// recall takes over the spec of an earlier run, for flags that were not given.
func (f *runFlags) recall(then *result.Spec) {
	f.earlier = then
	recallValue(f.given, "config", &f.config, then.Config)
	f.selectionFlags.recall(f.given, then)
	f.shardFlags.recall(f.given, then)
	f.mockFlags.recall(f.given, then)
	f.judgingFlags.recall(f.given, then)
	f.overrideFlags.recall(f.given, then)
	f.limitFlags.recall(f.given, then)
	f.cassettes.recall(f.given, then)
	f.outputFlags.recall(f.given, then)
	f.notInherited = slices.DeleteFunc(slices.Clone(then.Apart), f.given.has)
	f.droppedLeniency = f.leniencyOf(f.given, then)
}
