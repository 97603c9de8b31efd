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

// runFlags is the command line of `arena run`, of which other commands have a part. What it holds is settled by
// complete.
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

	words    []string // of the command, before its arguments
	notTaken []string // flags of the run that is gone on with, which nobody named again
	better   []string // those of them that made it look better

	journal string       // name of the journal to go on with, where the command line has it; "": that of the last run
	earlier *result.Spec // what was asked of that run, where that is taken over; nil: it is not

	noTraces bool // programs that are agents have no place for their traces
	noChaos  bool // no tool is let fail

	variables askedVariables  // that the files make use of
	lacks     *lackingClients // of a worker that runs trials of others; nil: what cannot be opened is a mistake

	// shared is what the calls of a worker of trials keep together with those of others; nil: nothing.
	shared func(p *scenario.Project, spec *scenario.Provider) providers.Shared

	toolStderr *toolStderr // nil: what programs of tools write to stderr is not shown

	folderSuffix string // is put behind the name of the folder that is another command's; "": the folder is ours
	judgedRun    string // folder of the run that is judged again; "": none
}

// resumeFlags say what the run has to do with the one before it, and whether it is run at all.
type resumeFlags struct {
	resume, lastFailed, list, estimate bool
}

// Names that other tools taught people to type.
var flagAliases = map[string]string{
	"concurrency": "jobs", "formats": "format", "simple": "ci", "scenarios": "scenario", "providers": "provider",
	"dry-run": "list", "rerun-failed": "last-failed", "html": "html-file", "skip-pack-evals": "skip-evals",
}

// canonical is the name of a flag that may be called by another one.
func canonical(name string) string {
	if alias, ok := flagAliases[name]; ok {
		return alias
	}
	return name
}

// aliasFlags lets flags be called by other names, which no help shows.
func aliasFlags(fl *pflag.FlagSet, names map[string]string) {
	fl.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if alias, ok := names[name]; ok {
			name = alias
		}
		return pflag.NormalizedName(name)
	})
}

// begin settles how the flags of a command are named and listed.
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

// registerOutput registers the flags for what a run leaves behind and shows.
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

// validateEvals refuses to run no evals and to ask for some.
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

// spec is what is asked of the run, for its journal.
func (f *runFlags) spec() *result.Spec {
	s := &result.Spec{Command: f.words[1]}
	f.fileFlags.ask(s)
	f.selectionFlags.ask(s)
	f.shardFlags.ask(s)
	f.mockFlags.ask(s)
	f.judgingFlags.ask(f.given, s)
	f.overrideFlags.ask(f.given, s)
	f.limitFlags.ask(f.given, s)
	s.NoChaos = f.noChaos
	f.cassettes.ask(s)
	f.outputFlags.ask(f.given, s)
	s.Apart = append(f.given.among(ofOneRun), f.notTaken...)
	return s
}

// ofOneRun are the flags that are asked of one run, and not of one that goes on with it: a file that is written while
// something happens is that of the run in which it happened, and nobody is called because a journal names them.
var ofOneRun = []string{
	"events", "junit-granularity", "metrics-file", "metrics-push", "metrics-listen", "metrics-linger", "metrics-label",
	"metrics-by", "metrics-namespace", "otlp-endpoint", "otlp-content", "dispatch", "dispatch-wait", "dispatch-timeout",
	"stream", "nats-creds", "nats-ca", "nats-cert", "nats-key", "workers", "workers-timeout",
}

// recall takes over what was asked of an earlier run, where this command line leaves it open.
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
	f.notTaken = slices.DeleteFunc(slices.Clone(then.Apart), f.given.has)
	f.better = f.lookedBetter(f.given, then)
}
