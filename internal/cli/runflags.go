package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/providers/cache"
	"github.com/arena-evals/arena/internal/result"
)

// runFlags is the command line of `arena run`.
type runFlags struct {
	paths  []string
	config string

	scenarios, providers, regions, tags, evalIDs []string
	resume, lastFailed, list                     bool
	keep                                         int

	mock       bool
	mockConfig string

	judge     string
	judgeGate bool

	temperature      float64
	maxTokens        int
	seed             int64
	trials           int
	jobs             int
	timeout          time.Duration
	retries          int
	onFailure        string
	failOn           []string
	failFast         bool
	exitZero         bool
	lenient, strict  bool
	allowEmpty       bool
	out              string
	formats          []string
	junitFile        string
	htmlFile         string
	markdownFile     string
	junitGranularity string
	ci, quiet        bool
	verbose          int
	color            string

	events    string // file, or stdoutName; "" is none
	cassettes cassetteFlags
	cache     string
	kept      *cache.Store // made when it is asked for

	metrics metricsFlags
	traces  traceFlags
	filter  evals.Filter // of evals

	words []string // of the command, before its arguments

	over, transcripts []string // recordings to judge instead of having conversations; those that a flag names
	asserts, packs    []string // to judge them by

	dispatch dispatchFlags

	apart string          // is put behind the name of the folder that is another command's; "": the folder is ours
	home  string          // of the run that is read; "": none, and the folder is that of arena run
	typed map[string]bool // flags of the command line, without settings

	set      map[string]bool // flags that were given, by name
	recalled map[string]bool // those of them that come from the run that is resumed
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
	fl.StringVarP(&f.config, "config", "c", "", "arena `file` (default: config.arena.yaml, else the scenarios folder)")

	fl.StringSliceVar(&f.scenarios, "scenario", nil, "only this scenario: an `id`; repeat the flag or use commas")
	fl.StringSliceVar(&f.providers, "provider", nil, "only this provider: a configured `id`, mock, or type/model\n"+
		"such as openai/gpt-4o-mini, ollama/llama3.2")
	fl.StringSliceVar(&f.regions, "region", nil, "run once for each region `name`, which templates see as {{region}}")
	fl.StringSliceVar(&f.tags, "tag", nil, "only scenarios with this `tag`")
	fl.StringSliceVar(&f.evalIDs, "eval", nil, "only the recording eval with this `id`")
	fl.BoolVar(&f.resume, "resume", false, "go on with the last run into the folder: keep what finished and is asked\n"+
		"for unchanged, run the rest, report the whole")
	fl.BoolVar(&f.lastFailed, "last-failed", false, "run again what did not pass in the last run into the folder, and\n"+
		"report the whole (also --rerun-failed)")
	fl.BoolVar(&f.list, "list", false, "print the trials of the plan and run nothing (also --dry-run)")

	f.judging(fl)
	fl.Float64Var(&f.temperature, "temperature", 0, "sampling temperature of every call, a `number` from 0 to 2")
	fl.Int64Var(&f.seed, "seed", 0, "sampling seed of every call, any whole `number`")
	fl.IntVar(&f.maxTokens, "max-tokens", 0, "limit every reply to `n` tokens")
	fl.IntVar(&f.trials, "trials", 0, "repeat every scenario `n` times instead of its own number")
	fl.StringVar(&f.onFailure, "on-failure", "", "`action` after a failed turn assertion: continue or stop")

	f.dispatch.register(fl)
	f.limits(fl)
	f.cassettes.register(fl)
	f.output(fl)
}

// judging are the flags for who answers in the place of models, and who judges.
func (f *runFlags) judging(fl *pflag.FlagSet) {
	fl.BoolVar(&f.mock, "mock-provider", false, "answer for every provider from mock replies, without any network")
	fl.StringVar(&f.mockConfig, "mock-config", "", "mock reply `file`; wins over the providers' own")
	fl.StringVar(&f.judge, "judge", "", "who judges for checks that name nobody: a `judge`, a provider, or type/model\n"+
		"(default: the config's first judge)")
	fl.BoolVar(&f.judgeGate, "judge-gate", false, "ask no judge once a check without one has failed in the trial\n"+
		"(default: as the files say)")
	fl.StringSliceVar(&f.filter.Groups, "eval-groups", nil, "only evals in one of these groups, a `list` such as\n"+
		"fast-running,safety")
	fl.StringSliceVar(&f.filter.Types, "eval-types", nil, "only evals by one of these checks, a `list` such as\n"+
		"contains,llm_judge")
	fl.BoolVar(&f.filter.Skip, "skip-evals", false, "run no evals")
}

// limits are the flags for how far a run goes, and what makes it red.
func (f *runFlags) limits(fl *pflag.FlagSet) {
	fl.IntVarP(&f.jobs, "jobs", "j", 0, "run `n` trials at once (default: the config's concurrency, else 6)")
	fl.DurationVar(&f.timeout, "timeout", 0, "limit every conversation to a `time` such as 90s\n"+
		"(default: the config's run_timeout, else 5m)")
	fl.IntVar(&f.retries, "retries", 0, "try a failed model call up to `n` more times (default 3)")
	fl.BoolVar(&f.failFast, "fail-fast", false, "end the run at the first trial that fails")
	fl.StringSliceVar(&f.failOn, "fail-on", nil, "what makes the run red besides failed assertions and errors, a `list`\n"+
		"of guardrail, skipped, warning, eval (could not judge) and flaky\n"+
		"(passes now, failed before)")
	fl.BoolVar(&f.exitZero, "exit-zero", false, "a report only: exit with 0 whatever the trials come to")
	fl.BoolVar(&f.strict, "strict", false, "warnings are errors, such as a scenario that asserts nothing; one at\n"+
		"the end makes the run red")
	fl.BoolVar(&f.lenient, "lenient", false, "unknown fields and parameters are warnings: for other tools' files")
	fl.BoolVar(&f.allowEmpty, "allow-empty", false, "a plan without trials is no error")
}

// output are the flags for what a run leaves behind and shows.
func (f *runFlags) output(fl *pflag.FlagSet) {
	fl.StringVarP(&f.out, "out", "o", "", "results `folder` (default: the config's output.dir, else out)")
	fl.StringSliceVar(&f.formats, "format", nil, "reports besides results.json, a `list` of junit, html, markdown, json\n"+
		"(default: the config's output.formats, else all)")
	fl.StringVar(&f.junitFile, "junit-file", "", "write JUnit to this `file`")
	fl.StringVar(&f.htmlFile, "html-file", "", "write the HTML report to this `file`")
	fl.StringVar(&f.markdownFile, "markdown-file", "", "write Markdown to this `file`")
	fl.StringVar(&f.junitGranularity, "junit-granularity", "scenario",
		"`unit` of a JUnit test case: scenario, turn or check")

	fl.IntVar(&f.keep, "keep", harness.DefaultKeep, "keep the journals of `n` earlier runs in the results folder")
	fl.StringVar(&f.events, "events", "", "write what happens, as it happens, as JSON lines to this `file`;\n"+
		"- is stdout, and what people read goes to stderr")
	fl.StringVar(&f.cache, "cache", "", "keep the replies of models in this `folder`, and pay only once for\n"+
		"the same call")
	f.metrics.register(fl)
	f.traces.register(fl)

	fl.BoolVar(&f.ci, "ci", false, "plain output without colour or redrawing, as in a pipe")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "only failures and the summary")
	fl.CountVarP(&f.verbose, "verbose", "v", "also requests and replies, cut short; -vv whole")
	fl.StringVar(&f.color, "color", "auto", "`when` to colour the output: auto, always or never")
}

// complete takes what only the parsed flags know and refuses values that cannot be meant.
func (f *runFlags) complete(cmd *cobra.Command, args []string) error {
	f.paths, f.set = args, map[string]bool{}
	if f.words == nil {
		f.words = []string{"arena", "run"}
	}
	cmd.Flags().Visit(func(fl *pflag.Flag) { f.set[fl.Name] = true })
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if f.set["temperature"] && (f.temperature < 0 || f.temperature > 2) {
		bad("--temperature must be between 0 and 2, found %v", f.temperature)
	}
	if f.resume && f.lastFailed {
		bad("--resume keeps what failed, and --last-failed runs it again: choose one")
	}
	for _, c := range []struct {
		flag     string
		n, least int
	}{{"max-tokens", f.maxTokens, 1}, {"trials", f.trials, 1}, {"jobs", f.jobs, 1}, {"retries", f.retries, 0},
		{"keep", f.keep, 1}} {
		if f.set[c.flag] && c.n < c.least {
			bad("--%s must be at least %d, found %d", c.flag, c.least, c.n)
		}
	}
	if f.set["timeout"] && f.timeout <= 0 {
		bad("--timeout must be above 0, found %s", f.timeout)
	}
	for _, c := range []struct {
		flag  string
		names []string
	}{{"scenario", f.scenarios}, {"provider", f.providers}, {"region", f.regions}, {"tag", f.tags},
		{"eval", f.evalIDs}, {"assert", f.asserts}, {"pack", f.packs}, {"transcript", f.transcripts},
		{"eval-groups", f.filter.Groups}, {"eval-types", f.filter.Types}} {
		if f.set[c.flag] && strings.Trim(strings.Join(c.names, ""), " ") == "" { // an unset variable, most likely
			bad("--%s is empty: name what is to be run, or leave the flag out", c.flag)
		}
	}
	if f.judge = strings.TrimSpace(f.judge); f.set["judge"] && f.judge == "" {
		bad("--judge is empty: name who is to judge, or leave the flag out")
	}
	errs = append(errs,
		oneOf("on-failure", []string{f.onFailure}, "", "continue", "stop"),
		oneOf("color", []string{f.color}, "auto", "always", "never"),
		oneOf("junit-granularity", []string{f.junitGranularity}, "scenario", "turn", "check"),
		oneOf("format", f.formats, "json", "junit", "html", "markdown"),
		f.failures(),
		f.metrics.complete(f.set, cmd.Flags()), f.dispatch.complete(f.set, f.cassettes.offline),
		f.cassettes.complete(f),
		f.checkEvents(),
	)
	if f.set["cache"] && strings.TrimSpace(f.cache) == "" {
		bad("--cache is empty: name a folder, or leave the flag out")
	} else if f.cache != "" {
		if err := plainfile.Dangling(f.cache); err != nil {
			bad("--cache: %w", err)
		}
	}
	return errors.Join(errs...)
}

// failures settles --fail-on. Empty, it is told of.
func (f *runFlags) failures() error {
	if !f.set["fail-on"] {
		return nil
	}
	reasons := []string{}
	for _, word := range f.failOn {
		reason, err := result.FailOnReason(word)
		if err != nil {
			return fmt.Errorf("--fail-on: %w", err)
		}
		reasons = append(reasons, reason)
	}
	f.failOn = reasons
	return nil
}

func oneOf(flag string, values []string, words ...string) error {
	for _, v := range values {
		if slices.Contains(words, v) {
			continue
		}
		known := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
		err := fmt.Errorf("--%s cannot be %q; expected %s", flag, v, strings.Join(known, ", "))
		if near := diag.Nearest(v, known); near != "" {
			err = fmt.Errorf("%w\ndid you mean %q?", err, near)
		}
		return err
	}
	return nil
}

// given returns a pointer to a flag's value, or nil when it was not given: 0 is a value.
func given[T any](f *runFlags, name string, v T) *T {
	if f.set[name] {
		return &v
	}
	return nil
}
